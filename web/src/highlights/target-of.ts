// What is known of where a highlight is, from the words of whoever made it.
import type { QuoteTarget } from './anchor/anchor-quote.ts';
import type { TextPosition } from './anchor/describe-selection.ts';
import type { Highlight } from './types.ts';

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
const ours = new Set(['lectern', 'restored']);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function positionOf(value: unknown): TextPosition | undefined {
  const { start, end } = fieldsOf(value);
  const isPlace = Number.isSafeInteger(start) && Number.isSafeInteger(end) && Number(start) >= 0;
  return isPlace ? { start: Number(start), end: Number(end) } : undefined;
}

export function targetOf({
  text,
  boundary,
  source,
}: Pick<Highlight, 'text' | 'boundary' | 'source'>): QuoteTarget {
  const fields = fieldsOf(boundary);
  const quote = fieldsOf(fields.quote);
  return {
    quote: {
      exact: textOf(quote.exact) || text,
      prefix: textOf(quote.prefix),
      suffix: textOf(quote.suffix),
    },
    // Offsets of another program count in the page as it was there, not in our copy of it.
    position: ours.has(source) ? positionOf(fields.position) : undefined,
  };
}
