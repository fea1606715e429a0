// A process of its own that stores a large permanent copy as the mirror does, and tells how much memory that took.
import { openFolderFiles } from '../../src/library/files/folder-files.ts';
import { libraryObjects } from '../../src/mirror/node/library-objects.ts';
import type { CopyOutcome } from '../../src/mirror/raindrop-api.ts';
import { storeRaindrop } from '../../src/mirror/store-raindrop.ts';
import { type LargePage, largePages } from './large-pages.ts';

const [name = '', folder = ''] = process.argv.slice(2);
const objects = libraryObjects(
  await openFolderFiles(folder, { now: () => 0, randomText: () => String(process.hrtime.bigint()) }),
);
const copy = async (outcome: CopyOutcome, id: number) =>
  storeRaindrop({ objects, now: () => 0 }, { copy: async () => outcome }, raindrop(id));

const page = largePages[name as LargePage]();
// Whatever the first one needs besides: code that is compiled, tables that are loaded.
await copy(of(Buffer.from('<p>Some words.</p>')), 1);
const before = process.resourceUsage().maxRSS;
await copy(of(page), 7);
process.send?.({ bytes: page.length, growthMb: (process.resourceUsage().maxRSS - before) / 1024 });
process.disconnect?.();

function of(bytes: Uint8Array): CopyOutcome {
  return { kind: 'copy', bytes, contentType: 'text/html; charset=utf-8' };
}

function raindrop(id: number) {
  const cache = { status: 'ready', size: 0, created: '2026-01-01T00:00:00.000Z' };
  return { _id: id, link: 'https://example.org/large', title: 'Large', cache };
}
