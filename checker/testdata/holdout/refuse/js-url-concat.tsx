export const T = () => <a href={"java" + "script:" + "alert(1)"}>x</a>;
