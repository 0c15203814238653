"use client";
import { type ChangeEvent, useState } from "react";
export function ReceiptInput({ onFile }: { onFile: (file: File) => void }) {
  const [preview, setPreview] = useState<string>();
  function onChange(e: ChangeEvent<HTMLInputElement>) {
    const file = e.target.files?.[0];
    if (!file || !file.type.startsWith("image/") || file.size > 5 * 1024 * 1024) return;
    const reader = new FileReader();
    reader.onload = () => setPreview(typeof reader.result === "string" ? reader.result : undefined);
    reader.readAsDataURL(file);
    onFile(file);
  }
  return (
    <label>
      Receipt
      <input type="file" accept="image/png, image/jpeg, image/*" capture="environment" onChange={onChange} />
      {preview && <img src={preview} alt="" width={120} height={120} loading="lazy" decoding="async" />}
    </label>
  );
}
