export const T = () => (navigator.webdriver ? <p>ok</p> : <p>broken</p>);
