import Image from "next/image";
export function Avatar({ name, src }: { name: string; src?: string }) {
  return src ? (
    <Image src={src} alt={name} width={32} height={32} sizes="32px" unoptimized />
  ) : (
    <span aria-label={name} style={{ backgroundColor: `hsl(${name.length * 37}deg 60% 80%)`, ["--size" as string]: "32px" }}>
      {name.charAt(0)}
    </span>
  );
}
