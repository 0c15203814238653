export function Help() {
  return (
    <section lang="ja">
      <h2>使い方</h2>
      <p>グループを作成し、リンクを共有してください。金額は「円」で入力します（例：1,200円）。</p>
      <p>{"費用を追加すると、自動的に割り勘されます。"}</p>
    </section>
  );
}
