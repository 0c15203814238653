import styles from "./button.module.css";

type Props = { variant: "primary" | "ghost"; size: "sm" | "lg"; active?: boolean };

export function Pill({ variant, size, active }: Props) {
  const cls = [styles.pill, styles["pill-base"], styles[variant], styles[`pill-${size}`], active && styles["is-active"]].filter(Boolean).join(" ");
  return <span className={cls} data-variant={variant} />;
}
