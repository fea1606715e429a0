// The outlines of an OPML file, one after the other, from the tags that the reader of feeds reads. No tree is made: a file
// of any depth takes as much memory as its text.
import { Invalid } from '../../errors.ts';
import { BrokenFeed } from '../parse/feed-errors.ts';
import { endOfDeclaration } from '../parse/xml/declaration.ts';
import { readDoctype } from '../parse/xml/doctype.ts';
import { type DecodeReferences, newReferenceDecoder } from '../parse/xml/references.ts';
import { readTag, type Tag } from '../parse/xml/tag.ts';

/** What is read of an outline, by the names of its attributes in lower case: files write `xmlUrl` in every way. */
export type Outline = ReadonlyMap<string, string>;

const attributesRead = new Set(['text', 'title', 'type', 'xmlurl', 'htmlurl', 'url', 'category']);

export interface OutlineVisitor {
  /** `isLeaf`: the tag says that nothing stands in it. */
  open(outline: Outline, isLeaf: boolean): void;
  close(): void;
}

export interface OutlineEnd {
  /** The end of the body, or of the file's own element, was there. */
  readonly isWhole: boolean;
  /** The beginning of the outline that the file ends in. */
  readonly cutOff: string | undefined;
  /** Outlines that the end of the body had to close. */
  readonly unclosed: number;
}

/** Throws Invalid, and nothing else. */
export function readOutlines(text: string, visitor: OutlineVisitor): OutlineEnd {
  let decode: DecodeReferences | undefined;
  let hasRoot = false;
  let isWhole = false;
  let depth = 0;
  let unclosed = 0;

  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const tag = readTag(text, at);
    if (tag === undefined) {
      at = skipped(at);
      continue;
    }
    const name = tag.name.toLowerCase();
    const isCut = tag.end >= text.length && !text.endsWith('>');
    // Half an address is another address.
    if (isCut && tag.kind === 'start' && name === 'outline' && hasRoot) return end(text.slice(at, at + 100));
    at = tag.end;
    if (!hasRoot) {
      if (tag.kind === 'end') continue;
      requireOpml(name);
      hasRoot = true;
      isWhole = tag.selfClosing;
    } else if (name === 'opml' || name === 'body') {
      // People put several files into one: what comes after the end is read, too.
      isWhole = tag.kind === 'end' || tag.selfClosing;
      closeAll();
    } else if (name === 'outline') {
      readOutline(tag);
    }
  }
  if (!hasRoot) throw new Invalid('the file is not OPML: it has no <opml> element');
  return end();

  function end(cutOff?: string): OutlineEnd {
    closeAll();
    return { isWhole, cutOff, unclosed };
  }

  function closeAll(): void {
    unclosed += depth;
    for (; depth > 0; depth--) visitor.close();
  }

  function readOutline(tag: Tag): void {
    if (tag.kind === 'start') {
      visitor.open(attributesOf(tag.attributes), tag.selfClosing);
      depth += 1;
    }
    if ((tag.kind === 'end' || tag.selfClosing) && depth > 0) {
      visitor.close();
      depth -= 1;
    }
  }

  /** Behind a comment or the like; behind the `<`, if it is only a character. */
  function skipped(start: number): number {
    if (decode === undefined && /^<!doctype/i.test(text.slice(start, start + 9))) {
      const { end, declared } = readDoctype(text, start);
      decode = newReferenceDecoder(declared);
      return end;
    }
    return /[!?]/.test(text[start + 1] ?? '') ? endOfDeclaration(text, start) : start + 1;
  }

  function attributesOf(raw: readonly string[]): Outline {
    const found = new Map<string, string>();
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const name = (raw[at] ?? '').toLowerCase();
      if (attributesRead.has(name) && !found.has(name)) found.set(name, decoded(raw[at + 1] ?? ''));
    }
    return found;
  }

  function decoded(value: string): string {
    decode ??= newReferenceDecoder(new Map());
    try {
      return decode(value);
    } catch (cause) {
      if (!(cause instanceof BrokenFeed)) throw cause;
      throw new Invalid('the file declares entities that grow beyond measure', { cause });
    }
  }
}

function requireOpml(root: string): void {
  if (root === 'opml') return;
  if (['rss', 'feed', 'rdf:rdf', 'channel'].includes(root))
    throw new Invalid('the file is a feed, not a list of feeds: follow its address instead');
  if (root === 'html') throw new Invalid('the file is a web page, not OPML');
  throw new Invalid(`the file is not OPML: it begins with <${root.slice(0, 40)}>`);
}
