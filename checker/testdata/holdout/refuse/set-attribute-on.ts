export const f = (el: HTMLElement) => el.setAttribute("onclick", "alert(1)");
