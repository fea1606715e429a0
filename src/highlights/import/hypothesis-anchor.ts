// Where an annotation of Hypothesis is: the selectors of its target.
import type { Json } from '../../model/highlight.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from './json-value.ts';

export interface Anchor {
  /** What was marked; empty where nothing was, for a note about the whole page. */
  readonly text: string;
  readonly boundary: { readonly [key: string]: Json };
}

export function anchorOf(target: unknown): Anchor {
  const selectors = listOf(target)
    .flatMap((one) => listOf(objectOf(one).selector))
    .filter(isObject);
  const first = (type: string, isUsable: (selector: JsonObject) => boolean) =>
    selectors.find((selector) => selector.type === type && isUsable(selector));
  const quote = first('TextQuoteSelector', ({ exact }) => textOf(exact) !== '');
  const position = first('TextPositionSelector', ({ start, end }) => isOffset(start) && isOffset(end));
  const page = first('PageSelector', ({ label, index }) => textOf(label) !== '' || isOffset(index));
  return {
    text: textOf(quote?.exact),
    boundary: {
      ...(quote ? { quote: quoteOf(quote) } : {}),
      ...(position ? { position: { start: position.start as number, end: position.end as number } } : {}),
      ...(page ? { page: textOf(page.label) || String((page.index as number) + 1) } : {}),
    },
  };
}

/** Untrimmed: what stands around a passage begins and ends with blanks, and is compared with the page. */
function quoteOf({ exact, prefix, suffix }: JsonObject): Json {
  return {
    exact: exact as string,
    ...(typeof prefix === 'string' ? { prefix } : {}),
    ...(typeof suffix === 'string' ? { suffix } : {}),
  };
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
