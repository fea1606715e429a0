// Raindrops for the read API: rows and objects as an ingest leaves them, but written by hand, so that each says what it is for.
import type { CloudflareHarness } from './miniflare.ts';

export interface Kept {
  readonly id: number;
  readonly title: string;
  readonly text?: string;
  readonly excerpt?: string;
  readonly domain?: string;
  readonly tags?: readonly string[];
  readonly updatedAt?: string;
  readonly copy?: { readonly type: string; readonly body: string };
}

const page = '<!doctype html><title>A copy</title><script>alert(1)</script>';

export const sample: readonly Kept[] = [
  {
    id: 1,
    title: 'On sourdough',
    text: 'Flour, water and salt.',
    tags: ['bread'],
    domain: 'bakers.example',
  },
  { id: 2, title: 'Rye', text: 'Like sourdough bread, but of rye.', tags: ['bread', 'rye'] },
  {
    id: 3,
    title: 'Café society',
    text: `${'So it goes. '.repeat(40)}Crème  brûlée,\n said she. ${'And on. '.repeat(60)}`,
  },
  { id: 4, title: 'An empty page', text: '', tags: ['odd'] },
  { id: 5, title: 'Rust in the field', text: 'The ownership model, and the borrow checker.' },
  {
    id: 6,
    title: 'Ownership of land',
    text: 'A model of the market.',
    copy: { type: 'text/html; charset=windows-1252', body: page },
  },
  { id: 7, title: 'A paper', copy: { type: 'application/pdf', body: '%PDF' } },
  { id: 8, title: 'A script', copy: { type: 'text/javascript', body: 'alert(1)' } },
  { id: 9, title: 'A program', copy: { type: 'application/javascript', body: 'alert(1)' } },
  { id: 10, title: 'A picture', copy: { type: 'image/svg+xml', body: '<svg/>' } },
];

/** As an ingest leaves them. */
export async function keep(
  { query, putObject }: Pick<CloudflareHarness, 'query' | 'putObject'>,
  raindrops: readonly Kept[],
): Promise<void> {
  for (const one of raindrops) {
    const { id, title, text = '', excerpt = '', domain = 'example.org', tags = [] } = one;
    const updatedAt = one.updatedAt ?? `2025-01-01T00:00:${String(id % 60).padStart(2, '0')}Z`;
    await query(
      'INSERT INTO raindrops VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[id, `https://${domain}/${id}`, title, excerpt, domain, updatedAt, updatedAt],
    );
    await query(
      'INSERT INTO raindrop_fts(rowid, title, excerpt, body, tags_txt, domain) VALUES (?, ?, ?, ?, ?, ?)',
      ...[id, title, excerpt, text, tags.join(' '), domain],
    );
    await query('INSERT INTO raindrop_text_state VALUES (?, ?, ?, ?)', id, 'f00d', 3, updatedAt);
    for (const tag of tags) {
      await query('INSERT OR IGNORE INTO tags(name) VALUES (?)', tag);
      await query('INSERT INTO raindrop_tags SELECT ?, id FROM tags WHERE name = ?', id, tag);
    }
    await putObject(`raindrops/${id}/plain.txt`, text);
    if (!one.copy) continue;
    await putObject(`raindrops/${id}/permacopy.html`, one.copy.body);
    const meta = { sha256: 'f00d', content_type: one.copy.type, content_length: 4, fetched_at: updatedAt };
    await putObject(`raindrops/${id}/meta.json`, JSON.stringify(meta));
  }
}
