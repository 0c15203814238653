export function Sprite({ id }: { id: string }) {
  return (
    <svg xmlns="http://www.w3.org/2000/svg" xmlnsXlink="http://www.w3.org/1999/xlink">
      <use href={`/sprite.svg#${id}`} />
    </svg>
  );
}
