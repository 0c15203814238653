import * as React from "react";
export const Stack = React.forwardRef<HTMLDivElement, React.ComponentPropsWithoutRef<"div"> & { gap?: 1 | 2 | 4 }>(({ gap = 2, className, ...props }, ref) => (
  <div ref={ref} className={["stack", `gap-${gap}`, className].filter(Boolean).join(" ")} {...props} />
));
Stack.displayName = "Stack";
