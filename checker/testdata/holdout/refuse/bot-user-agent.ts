export const isRobot = () => /HeadlessChrome/.test(navigator.userAgent);
