// How many letters apart two words are: inserted, left out, replaced, or two neighbours in the wrong order.

/** The distance, or undefined when it is more than `most`. */
export function editDistance(a: string, b: string, most: number): number | undefined {
  const [from, to] = [[...a], [...b]];
  if (Math.abs(from.length - to.length) > most) return undefined;
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      let least = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        least = Math.min(least, (before[j - 2] as number) + 1);
      row.push(least);
    }
    if (Math.min(...row) > most && Math.min(...last) > most) return undefined;
    [before, last] = [last, row];
  }
  const distance = last[to.length] as number;
  return distance <= most ? distance : undefined;
}
