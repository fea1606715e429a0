export type AnswerPiece = { readonly text: string } | { readonly cites: number };

/** An answer, cut at the numbers in brackets that name a passage. All the rest is text, whatever it looks like. */
export function splitAnswer(text: string, passages: readonly number[]): AnswerPiece[] {
  const pieces: AnswerPiece[] = [];
  const known = new Set(passages);
  const addText = (more: string) => {
    const last = pieces.at(-1);
    if (more === '') return;
    if (last && 'text' in last) pieces[pieces.length - 1] = { text: last.text + more };
    else pieces.push({ text: more });
  };
  let at = 0;
  for (const match of text.matchAll(/\[(\d{1,4}(?:, ?\d{1,4})*)\]/g)) {
    const numbers = (match[1] ?? '').split(/, ?/).map(Number);
    if (!numbers.every((n) => known.has(n))) continue;
    addText(text.slice(at, match.index));
    for (const cites of numbers) pieces.push({ cites });
    at = match.index + match[0].length;
  }
  addText(text.slice(at));
  return pieces;
}
