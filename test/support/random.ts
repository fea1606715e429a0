// Random numbers for tests: the same for the same seed, on every machine.

export interface Random {
  /** From 0 up to, but not including, 1. */
  fraction(): number;
  /** A whole number from 0 up to, but not including, `end`. */
  below(end: number): number;
  oneOf<T>(choices: readonly T[]): T;
}

/** The generator is mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(fraction() * end);
  return { fraction, below, oneOf: (choices) => choices[below(choices.length)] as (typeof choices)[number] };
}
