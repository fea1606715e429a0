// A passage of a text, told so that it can be found again when the text has changed.
export interface TextQuote {
  readonly exact: string;
  /** What stands before and after it. */
  readonly prefix: string;
  readonly suffix: string;
}

/** Offsets into the text, in UTF-16 code units. */
export interface TextPosition {
  readonly start: number;
  readonly end: number;
}

export interface TextBoundary {
  readonly quote: TextQuote;
  readonly position: TextPosition;
}

const contextLength = 32;

/** Half of a character is none. */
const withoutHalves = (text: string): string => text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');

export function describeSelection(text: string, start: number, end: number): TextBoundary {
  return {
    quote: {
      exact: text.slice(start, end),
      prefix: withoutHalves(text.slice(Math.max(0, start - contextLength), start)),
      suffix: withoutHalves(text.slice(end, end + contextLength)),
    },
    position: { start, end },
  };
}
