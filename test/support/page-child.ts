// Stands in for the process that reads pages, and does with each what the path of its address says.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { noFacts } from '../../src/items/page/page-facts.ts';
import { type PageRequest, readySign } from '../../src/items/page/page-messages.ts';

const kept: unknown[] = [];

/** What is returned is the title of the page. */
const behaviours: Record<string, (url: URL) => unknown> = {
  title: ({ search }) => search.slice(1),
  pid: () => String(process.pid),
  loop: () => {
    for (;;);
  },
  heap: () => {
    for (;;) kept.push(Array.from({ length: 1_000_000 }, (_, n) => n + 0.5));
  },
  memory: () => {
    for (;;) kept.push(Buffer.alloc(10_000_000, 1));
  },
  grow: () => {
    for (let n = 0; n < 12; n++) kept.push(Buffer.alloc(10_000_000, 1));
    return String(process.pid);
  },
  exit: () => process.exit(3),
  crash: () => process.kill(process.pid, 'SIGSEGV'),
  killed: () => process.kill(process.pid, 'SIGKILL'),
  throws: () => {
    throw new Error('secret of the child');
  },
  environment: () => Object.keys(process.env).sort().join(),
  globals: () => [typeof fetch, typeof WebSocket, typeof EventSource].join(),
  socket: ({ search }) =>
    new Promise((resolve) => {
      const outcome = (error: unknown) => resolve((error as { code: string }).code);
      try {
        connect(Number(search.slice(1)), '127.0.0.1', () => resolve('connected')).on('error', outcome);
      } catch (error) {
        outcome(error);
      }
    }),
  reads: () => attempt(() => readFileSync('/etc/hosts')),
  writes: ({ search }) => attempt(() => writeFileSync(search.slice(1), 'x')),
};

const garbage: Record<string, unknown> = {
  'garbage-text': 'garbage',
  'garbage-null': null,
  'garbage-fields': { rssBytes: 1, copy: { facts: noFacts, html: 7, text: '', wordCount: 0 } },
  'garbage-long': {
    rssBytes: 1,
    copy: { facts: { ...noFacts, title: 'x'.repeat(201) }, html: '', text: '', wordCount: 0 },
  },
  'garbage-other': { rssBytes: 1, thumbnail: new Uint8Array(9) },
};

process.on('message', async (request: PageRequest) => {
  const rssBytes = process.memoryUsage.rss();
  if (!('read' in request)) return process.send?.({ rssBytes, thumbnail: request.thumbnail });
  const url = new URL(request.read.url);
  const name = url.pathname.slice(1);
  if (name in garbage) return process.send?.(garbage[name]);
  const answer = await Promise.resolve()
    .then(() => behaviours[name]?.(url))
    .then(
      (title) => ({ copy: { facts: { ...noFacts, title }, html: '', text: '', wordCount: 0 } }),
      (error: Error) => ({ failed: error.stack }),
    );
  return process.send?.({ ...answer, rssBytes: process.memoryUsage.rss() });
});
process.send?.(readySign);

function attempt(act: () => unknown): string {
  try {
    act();
    return 'done';
  } catch (error) {
    return (error as { code: string }).code;
  }
}
