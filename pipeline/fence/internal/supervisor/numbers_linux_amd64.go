package supervisor

const sysSeccomp = 317
