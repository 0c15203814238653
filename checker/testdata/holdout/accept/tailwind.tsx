export function Banner({ kind, children }: { kind: "info" | "error"; children: React.ReactNode }) {
  const colour = kind === "error" ? "bg-red-50 text-red-900 ring-red-600/20 dark:bg-red-950/40" : "bg-sky-50 text-sky-900 ring-sky-600/20";
  return (
    <div className={`mt-4 flex items-center gap-2 rounded-md px-3 py-2 text-sm ring-1 ring-inset before:content-[''] md:w-[calc(100%-2rem)] [&>svg]:size-4 hover:bg-[url('/noise.png')] ${colour}`}>
      {children}
    </div>
  );
}
