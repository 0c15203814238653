import { shareLabels } from "../lib/shares";

export default function Home() {
  return (
    <main>
      <h1>Trip</h1>
      <ul>
        {shareLabels(10000, ["Ada", "Ben", "Cleo"]).map((label) => (
          <li key={label}>{label}</li>
        ))}
      </ul>
    </main>
  );
}
