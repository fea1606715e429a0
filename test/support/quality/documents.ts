// The fixed set that search is held against: 2,000 documents of one person's library. Those in written/ were written one
// by one; the rest is put together from the sentences of banks-*.txt, always in the same way, as news beside them.
import { readFileSync } from 'node:fs';
import { type DocState, type SearchKind, type SearchText, searchKinds } from '../../../src/model/search.ts';
import { composeDocuments } from './compose.ts';

export interface QualityDoc {
  /** By which queries name it. */
  readonly name: string;
  readonly kind: SearchKind;
  readonly text: SearchText;
  /** Entries alone: their state is looked up. */
  readonly isUnread: boolean;
}

/** As a file has it: a line of facts, the title, the text. */
export interface DocBlock {
  readonly facts: string;
  readonly title: string;
  readonly text: string;
}

/** When every search of the set is made. */
export const setNow = Date.UTC(2026, 2, 12, 12);
export const setSize = 2_000;

const files = [
  'feeds',
  'kitchen',
  'nature',
  'science',
  'health',
  'money',
  'technology',
  'city',
  'culture',
  'life',
  'other-languages',
  'same-page',
];
const readText = (file: string) => readFileSync(new URL(`./${file}.txt`, import.meta.url), 'utf8');

function readBlocks(file: string): DocBlock[] {
  return readText(`written/${file}`)
    .trim()
    .split('\n\n')
    .map((block) => {
      const [facts = '', title = '', text = ''] = block.split('\n');
      return { facts, title, text };
    });
}

const written = files.flatMap(readBlocks);
const composed = composeDocuments(
  ['banks-one', 'banks-two'].map(readText).join('\n'),
  setSize - written.length,
);

export const documents: readonly QualityDoc[] = [...written, ...composed].map(toDoc);
export const documentOf = new Map(documents.map((doc) => [doc.name, doc]));

/** The feeds that entries name by their number are the first documents of the set. */
export const feeds = documents
  .filter(({ kind }) => kind === 'feed')
  .map(({ text }) => ({ id: text.refId, name: text.title, link: text.url }));

function toDoc({ facts, title, text }: DocBlock, index: number): QualityDoc {
  const [kind = '', name = '', date = '', site = '', ...more] = facts.split(' ');
  if (!searchKinds.includes(kind as SearchKind)) throw new Error(`no kind of document: ${facts}`);
  const refId = index + 1;
  const factOf = (key: string) =>
    more
      .find((fact) => fact.startsWith(`${key}=`))
      ?.slice(key.length + 1)
      .replaceAll('_', ' ');
  const page = factOf('page') ?? name;
  // Minutes differ, so that ids do not crowd.
  const publishedAt = Date.parse(`${date}T00:00:00Z`) + ((refId * 7) % 1_440) * 60_000;
  const feed = kind === 'feed' ? refId : Number(factOf('feed') ?? 0);
  const isRead = kind === 'entry' || kind === 'feed' || kind === 'note';
  const states = (factOf('is')?.split(',') ?? []) as DocState[];
  const author = factOf('by');
  const lang = factOf('lang') ?? (kind === 'item' ? 'en' : undefined);
  return {
    name,
    kind: kind as SearchKind,
    isUnread: more.includes('unread'),
    text: {
      userId: 1,
      refId,
      title,
      text,
      url: site === '-' ? '' : `https://${site}/${page}`,
      urlKey: site === '-' || kind === 'feed' ? null : `https://${site}/${page}`,
      site: site === '-' ? null : site,
      publishedAt,
      facts: {
        tags: more.filter((fact) => fact.startsWith('#')).map((tag) => tag.slice(1).replaceAll('_', ' ')),
        // What is kept and not put away is unread.
        states: isRead || states.includes('archived') || kind !== 'item' ? states : [...states, 'unread'],
        feedId: feed === 0 ? null : feed,
        isRaindrop: more.includes('raindrop'),
        ...(author !== undefined && { author }),
        ...(lang !== undefined && { lang }),
      },
    },
  };
}
