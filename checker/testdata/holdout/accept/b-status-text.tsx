const texts = new Map([
  ["open", "Still open"],
  ["settled", "All settled"],
]);
export const Status = ({ value }: { value: string }) => <span data-status={value}>{texts.get(value) ?? "Unknown"}</span>;
