import { describe, expect, it } from 'vitest';
import { deframedItem } from '../../test/support/deframed-items.ts';
import { until } from '../../test/support/until.ts';
import { buildFeed } from './feed-xml.ts';
import { createServedDocuments } from './served-documents.ts';

const head = {
  title: 'The Example',
  siteUrl: 'https://example.com/',
  feedUrl: 'https://example.com/feed.xml',
  description: '',
  language: null,
};

function xmlOf(scores: readonly number[], builtAt = 1): string {
  const items = scores.map((overall, n) =>
    deframedItem(`https://example.com/${builtAt}/${n}`, { analysis: { overall } }),
  );
  return buildFeed({ head, items, builtAt }).xmlContent;
}

/** An index that answers when it is told to, and counts how often it is asked. */
function slowIndex() {
  const asked: { id: string; answer: (found: { xml: string; builtAt: number } | undefined) => void }[] = [];
  const findDocument = (id: string) =>
    new Promise<{ xml: string; builtAt: number } | undefined>((answer) => asked.push({ id, answer }));
  return { asked, findDocument };
}

const textOf = (document: { bytes: Uint8Array } | undefined) =>
  document && Buffer.from(document.bytes).toString();
const feed = { id: 'a', builtAt: 1 };

describe('a document', () => {
  it('is read once, for all who ask while it is read and after', async () => {
    const index = slowIndex();
    const documents = createServedDocuments(index);
    const asking = [documents.find(feed, undefined), documents.find(feed, 0.5), documents.find(feed, 1)];
    index.asked[0]?.answer({ xml: xmlOf([0.1, 0.9]), builtAt: 1 });
    const [whole, half, all] = await Promise.all(asking);
    expect(index.asked).toHaveLength(1);
    expect(textOf(whole)).toBe(xmlOf([0.1, 0.9]));
    expect(textOf(half)).toBe(xmlOf([0.1]));
    expect(half?.items).toBe(2);
    expect(all).toBe(whole);
    expect(await documents.find(feed, undefined)).toBe(whole);
    expect(await documents.find(feed, 0.89)).toBe(half);
    expect(index.asked).toHaveLength(1);
  });

  it('that was built anew while it was read goes by the time of the new one', async () => {
    const index = slowIndex();
    const documents = createServedDocuments(index);
    const asking = documents.find(feed, undefined);
    index.asked[0]?.answer({ xml: xmlOf([0.1], 2), builtAt: 2 });
    expect(await asking).toMatchObject({ builtAt: 2 });
    expect(textOf(await documents.find({ id: 'a', builtAt: 2 }, undefined))).toBe(xmlOf([0.1], 2));
    expect(index.asked).toHaveLength(1);
    // Of the first nothing is known.
    const first = documents.find(feed, undefined);
    expect(index.asked).toHaveLength(2);
    index.asked[1]?.answer({ xml: xmlOf([0.1], 2), builtAt: 2 });
    expect(await first).toMatchObject({ builtAt: 2 });
  });

  it('that could not be read is asked for again', async () => {
    let isDown = true;
    const documents = createServedDocuments({
      findDocument: async () => {
        if (isDown) throw new Error('the index is down');
        return { xml: xmlOf([0.1]), builtAt: 1 };
      },
    });
    const both = await Promise.allSettled([documents.find(feed, undefined), documents.find(feed, undefined)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isDown = false;
    expect(textOf(await documents.find(feed, undefined))).toBe(xmlOf([0.1]));
  });

  it('that is not there is undefined', async () => {
    const documents = createServedDocuments({ findDocument: async () => undefined });
    expect(await documents.find(feed, 0.5)).toBeUndefined();
  });

  it('gives way to others when there are too many, and has no more versions than articles', async () => {
    let reads = 0;
    const xml = xmlOf([0.1, 0.2, 0.3]);
    const findDocument = async () => {
      reads += 1;
      return { xml, builtAt: 1 };
    };
    const documents = createServedDocuments({ findDocument }, { maxBytes: xml.length * 7 });
    await documents.find(feed, undefined);
    // A thousand scores are three documents that are not the whole.
    for (let n = 0; n < 1000; n++) await documents.find(feed, n / 1000);
    expect(reads).toBe(1);
    for (const id of ['b', 'c', 'd', 'e']) await documents.find({ id, builtAt: 1 }, undefined);
    await documents.find(feed, undefined);
    expect(reads).toBe(6);
  });

  it('is compressed once somebody wants that, unless it is too short', async () => {
    const long = createServedDocuments({
      findDocument: async () => ({ xml: xmlOf([0.1, 0.2]), builtAt: 1 }),
    });
    const document = await long.find(feed, undefined);
    expect(document?.encoded('br')).toBeUndefined();
    const copy = await until('a compressed copy', () => document?.encoded('br'));
    expect(copy.byteLength).toBeLessThan((document?.bytes.byteLength ?? 0) / 2);
    const short = createServedDocuments({ findDocument: async () => ({ xml: xmlOf([]), builtAt: 1 }) });
    expect((await short.find(feed, undefined))?.encoded('gzip')).toBeUndefined();
  });
});
