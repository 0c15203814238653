package supervisor

const sysSeccomp = 277
