export const F = () => {
  const act = async () => {
    "use server";
    return 1;
  };
  return <form action={act}>x</form>;
};
