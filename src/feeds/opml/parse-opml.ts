// The bytes of an OPML file to the feeds and groups in it.
import { Invalid } from '../../errors.ts';
import { decodeText } from '../../html/decode-text.ts';
import { collectFeeds, type OpmlContent } from './collect-feeds.ts';
import { opmlLimits as limits } from './limits.ts';
import { readOutlines } from './read-outlines.ts';

export interface OpmlDocument {
  readonly bytes: Uint8Array;
  /** The Content-Type that it came with: it may name the charset. */
  readonly contentType?: string | null | undefined;
}

/** Throws Invalid, and nothing else. */
export function parseOpml({ bytes, contentType = null }: OpmlDocument): OpmlContent {
  if (bytes.length > limits.fileBytes)
    throw new Invalid(`the file is larger than ${limits.fileBytes / 1024 / 1024} MB`);
  const text = decodeText({ bytes, contentType });
  if (text.trim() === '') throw new Invalid('the file is empty');
  const collected = collectFeeds();
  const { isWhole, cutOff, unclosed } = readOutlines(text, collected);
  const content = collected.content();
  const warnings = [...content.warnings];
  if (!isWhole) warnings.unshift('the file ends in the middle: what was there is read, more may be missing');
  if (cutOff !== undefined) warnings.push(`what the file ends in was left out: ${cutOff}`);
  if (isWhole && unclosed > 0)
    warnings.push('some folders of the file have no end: feeds may be in another group than was meant');
  return { ...content, warnings };
}
