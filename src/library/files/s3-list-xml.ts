// Reads the answer to ListObjectsV2, and of an error its code: exactly these two shapes, no general XML.
import type { Millis } from '../../model/glossary.ts';

export interface S3Listing {
  readonly objects: readonly { key: string; sizeBytes: number; modifiedAt: Millis }[];
  readonly nextToken?: string;
}

/** Throws on anything else, above all on an answer that was cut off: half a list is not a list. */
export function parseListing(xml: string): S3Listing {
  const objects: { key: string; sizeBytes: number; modifiedAt: Millis }[] = [];
  const top: Record<string, string> = {};
  let object: Record<string, string> = {};
  for (const { path, text } of elementsOf(xml)) {
    const [root, name, field] = path;
    if (root !== 'ListBucketResult') throw new Error(`a list was expected, not <${root}>`);
    if (name === 'Contents' && path.length === 3 && field) object[field] = text;
    else if (name === 'Contents' && path.length === 2) {
      objects.push(objectOf(object));
      object = {};
    } else if (path.length === 2 && name) top[name] = text;
  }
  const { IsTruncated, NextContinuationToken, EncodingType } = top;
  if (IsTruncated !== 'true' && IsTruncated !== 'false')
    throw new Error('the list does not say if it is whole');
  if (IsTruncated === 'true' && !NextContinuationToken)
    throw new Error('the list does not say how it goes on');
  const decode = (key: string) =>
    EncodingType === 'url' ? decodeURIComponent(key.replaceAll('+', ' ')) : key;
  return {
    objects: objects.map((each) => ({ ...each, key: decode(each.key) })),
    ...(IsTruncated === 'true' && NextContinuationToken ? { nextToken: NextContinuationToken } : {}),
  };
}

/** `<Error><Code>NoSuchKey</Code>...`; undefined when the answer is something else. */
export function parseErrorCode(xml: string): string | undefined {
  return /^\s*(?:<\?xml[^>]*>)?\s*<Error[^>]*>.*?<Code>([A-Za-z0-9.]{1,60})<\/Code>/s.exec(xml)?.[1];
}

function objectOf({ Key, Size, LastModified }: Record<string, string>) {
  const modifiedAt = Date.parse(LastModified ?? '');
  if (!Key || !/^\d{1,15}$/.test(Size ?? '') || Number.isNaN(modifiedAt)) {
    throw new Error('the list has an object without key, size or date');
  }
  // To the second, as the headers of a single object have it.
  return { key: Key, sizeBytes: Number(Size), modifiedAt: Math.floor(modifiedAt / 1000) * 1000 };
}

/** Each element when it ends: its path from the root, and its text if it has no children. */
function* elementsOf(xml: string): Generator<{ path: readonly string[]; text: string }> {
  const path: string[] = [];
  let text = '';
  let isDone = false;
  // Sticky: every character must belong to a token, so that a "<" in the wrong place is an error.
  const token = /<\?xml[^<>]*\?>|<(\/?)([A-Za-z][A-Za-z0-9]*)((?:\s[^<>]*?)?)(\/?)>|([^<]+)/y;
  while (token.lastIndex < xml.length) {
    const match = token.exec(xml);
    if (!match) throw new Error('the list is not the XML that S3 sends');
    const [whole, closing, name, , empty, characters] = match;
    if (characters !== undefined) text = decodeEntities(characters);
    if (name === undefined) continue;
    if (isDone) throw new Error('the list goes on after its end');
    if (!closing) {
      path.push(name);
      text = '';
    }
    if (closing || empty) {
      if (path.at(-1) !== name) throw new Error(`the list is not well-formed at ${whole}`);
      yield { path: [...path], text };
      path.pop();
      text = '';
      isDone = path.length === 0;
    }
  }
  if (!isDone) throw new Error('the list was cut off');
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (entity, hex, decimal, name) => {
    const code = hex ? Number.parseInt(hex, 16) : decimal ? Number(decimal) : undefined;
    const character =
      code === undefined ? named[name] : code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
    if (character === undefined) throw new Error(`the list has an unknown entity ${entity}`);
    return character;
  });
}
