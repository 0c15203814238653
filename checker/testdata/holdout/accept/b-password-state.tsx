"use client";
import { useState } from "react";
export function Login() {
  const [values, setValues] = useState({ username: "", password: "" });
  const update = (key: "username" | "password") => (e: { target: { value: string } }) => setValues({ ...values, [key]: e.target.value });
  return (
    <form>
      <input autoComplete="username" value={values.username} onChange={update("username")} />
      <input type="password" autoComplete="current-password" value={values.password} onChange={update("password")} />
    </form>
  );
}
