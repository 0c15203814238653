"use client";
import { type ChangeEvent, type FormEvent, useState } from "react";

export function CostForm({ onAdd }: { onAdd: (c: { title: string; amount: number }) => void }) {
  const [form, setForm] = useState({ title: "", amount: "" });
  const [errors, setErrors] = useState<Partial<Record<keyof typeof form, string>>>({});
  const onChange = (e: ChangeEvent<HTMLInputElement>) => {
    const { name, value } = e.target;
    setForm((f) => ({ ...f, [name]: value }));
    setErrors((prev) => ({ ...prev, [e.target.name]: undefined }));
  };
  const onSubmit = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const amount = Number(form.amount.replace(",", "."));
    if (!Number.isFinite(amount) || amount <= 0) {
      setErrors({ amount: "Enter an amount above 0" });
      return;
    }
    onAdd({ title: form.title.trim(), amount });
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <label htmlFor="title">Title</label>
      <input id="title" name="title" value={form.title} onChange={onChange} autoComplete="off" required maxLength={80} />
      <input name="amount" inputMode="decimal" pattern="[0-9]+([.,][0-9]{1,2})?" value={form.amount} onChange={onChange} aria-invalid={!!errors.amount} aria-describedby="amount-error" />
      {errors.amount && <p id="amount-error">{errors.amount}</p>}
      <button type="submit">Add</button>
    </form>
  );
}
