// The kinds of files that highlights are read from.
import { Invalid } from '../../errors.ts';
import type { SyncKind } from '../../model/highlight.ts';
import { importLimits as limits } from './import-limits.ts';
import type { Imported } from './imported.ts';
import { parseHypothesisJson } from './parse-hypothesis-json.ts';
import { parseKindleClippings } from './parse-kindle-clippings.ts';
import { parseKoreader } from './parse-koreader.ts';
import { parseReadwiseCsv } from './parse-readwise-csv.ts';

export type ImportKind = Extract<SyncKind, 'kindle' | 'readwise' | 'hypothesis' | 'koreader'>;

const parsers: Readonly<Record<ImportKind, (text: string) => Imported>> = {
  kindle: parseKindleClippings,
  readwise: parseReadwiseCsv,
  hypothesis: parseHypothesisJson,
  koreader: parseKoreader,
};

export const importKinds = Object.keys(parsers) as readonly ImportKind[];

/** Throws Invalid, and nothing else. */
export function parseHighlights(kind: ImportKind, bytes: Uint8Array): Imported {
  if (bytes.length > limits.fileBytes)
    throw new Invalid(`the file is larger than ${limits.fileBytes / 1024 / 1024} MB`);
  const text = decode(bytes);
  // Nothing at all is what an interrupted copy leaves, and never a source without highlights.
  if (text.trim() === '') throw new Invalid('the file is empty');
  return parsers[kind](text);
}

/** Strictly: a guess would put wrong letters into what somebody has kept for years. */
function decode(bytes: Uint8Array): string {
  const [a, b] = bytes;
  const charset = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (error) {
    const shown = charset.slice(0, 6).toUpperCase().replace(/-$/, '');
    throw new Invalid(
      `line ${firstBadLine(bytes, charset)}: the file is not ${shown} text: save it as UTF-8`,
      {
        cause: error,
      },
    );
  }
}

function firstBadLine(bytes: Uint8Array, charset: string): number {
  const [before = ''] = new TextDecoder(charset).decode(bytes).split('\uFFFD', 1);
  let line = 1;
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) line++;
  return line;
}
