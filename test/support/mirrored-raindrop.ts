// A raindrop as the mirror hands it to an index.
import { createHash } from 'node:crypto';
import type { MirroredRaindrop } from '../../src/mirror/host.ts';

export function mirroredRaindrop(id: number, changes: Partial<MirroredRaindrop> = {}): MirroredRaindrop {
  const text = changes.text ?? `Text of ${id}`;
  return {
    id,
    link: `https://example.org/${id}`,
    title: `Title ${id}`,
    excerpt: `Excerpt ${id}`,
    note: '',
    domain: 'example.org',
    type: 'article',
    cover: '',
    isImportant: false,
    tags: [],
    createdAt: '2025-01-02T03:04:05.678Z',
    updatedAt: '2025-02-03T04:05:06.789Z',
    collectionId: -1,
    highlights: [],
    text,
    textSha256: sha256(text),
    wordCount: 0,
    copy: 'none',
    rawSha256: sha256(`raw ${id}`),
    removedAt: null,
    files: {},
    ...changes,
  };
}

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
