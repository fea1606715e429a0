import pg from 'pg';

/** 64-bit integers as numbers: ids and times stay far below 2^53, and beyond it we would rather stop than round. */
export function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return toSafeInteger;
  return pg.types.getTypeParser(oid, format as 'text');
}

function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number`);
  return value;
}
