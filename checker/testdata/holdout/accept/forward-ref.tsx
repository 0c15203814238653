import { forwardRef, type InputHTMLAttributes, useId } from "react";
type Props = InputHTMLAttributes<HTMLInputElement> & { label: string; hint?: string };
export const Field = forwardRef<HTMLInputElement, Props>(function Field({ label, hint, id: given, className = "", ...rest }, ref) {
  const auto = useId();
  const id = given ?? auto;
  return (
    <div className={`field ${className}`.trim()}>
      <label htmlFor={id}>{label}</label>
      <input {...rest} ref={ref} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      {hint ? <small id={`${id}-hint`}>{hint}</small> : null}
    </div>
  );
});
Field.displayName = "Field";
