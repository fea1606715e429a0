// `npm run bench -- NAME`: runs one benchmark, in the present process. Exit code 1 when a goal is missed.
import { run as attacks } from './attacks.ts';
import { run as fairness } from './fairness.ts';
import { run as feeds } from './feeds.ts';
import { run as greader } from './greader.ts';
import { run as http } from './http.ts';
import { run as items } from './items.ts';
import { run as jobs } from './jobs.ts';
import { run as journal } from './journal.ts';
import { run as lag } from './lag.ts';
import { run as lock } from './lock.ts';
import { run as refresh } from './refresh.ts';
import { run as reinflate } from './reinflate.ts';
import { run as reinflateMirror } from './reinflate-mirror.ts';
import { run as rss } from './rss.ts';
import { run as search } from './search.ts';
import { run as sync } from './sync.ts';
import { run as unread } from './unread.ts';
import { run as users } from './users.ts';
import { run as vectors } from './vectors.ts';
import { run as web } from './web.ts';

const benchmarks: Record<string, { about: string; run: (args: readonly string[]) => Promise<boolean> }> = {
  http: { about: 'requests per second, compared with bare node:http in the same run', run: http },
  lock: { about: 'what the API does while another process holds the lock of the SQLite file', run: lock },
  jobs: { about: 'jobs per second, compared with liteque and pg-boss in the same run', run: jobs },
  journal: { about: 'what the journal costs those who write, on both engines', run: journal },
  refresh: { about: 'fetching a thousand feeds, compared with parsing and inserting alone', run: refresh },
  unread: { about: 'the lists of the reader as the archive grows', run: unread },
  fairness: {
    about: 'the longest block of the event loop, in a Light sync of 59 MB and the lists of 10,000 feeds',
    run: fairness,
  },
  feeds: { about: 'parsing and cleaning feeds, compared with JSON.parse of the same texts', run: feeds },
  items: {
    about: 'saving and reading 30,000 pages, killed five times meanwhile; or as many as are named',
    run: items,
  },
  rss: { about: 'the feeds of the deframer, compared with bare node:http that sends the same', run: rss },
  search: {
    about:
      'finding words among 10,000 and 100,000 documents, or as many as are named, compared with bare FTS5',
    run: search,
  },
  vectors: {
    about: 'scanning the vectors of 10,000 to 500,000 passages, compared with reading the same memory',
    run: vectors,
  },
  greader: {
    about: 'ids and contents for reader apps among a million entries, compared with bare SQL and JSON',
    run: greader,
  },
  sync: { about: 'bringing 100,000 highlights in step, compared with hashing and a bulk upsert', run: sync },
  attacks: {
    about: 'what uploads without a login, hostile documents and thousands of connections do to the API',
    run: attacks,
  },
  users: {
    about: 'what users cost: processor time, bytes and requests, for 1 to 1,000 members on both engines',
    run: users,
  },
  lag: { about: 'how far the library lags while three clients sync highlights in a loop', run: lag },
  web: { about: 'how soon the reader shows something in a slow browser', run: web },
  reinflate: { about: 'rebuilding an index, compared with bare prepared inserts', run: reinflate },
  'reinflate-mirror': {
    about: 'an index from the files of the mirror, compared with reading them into bare FTS5',
    run: reinflateMirror,
  },
};

const [name, ...args] = process.argv.slice(2);
const chosen = name === undefined ? undefined : benchmarks[name];
if (chosen) {
  process.exitCode = (await chosen.run(args)) ? 0 : 1;
} else {
  const list = Object.entries(benchmarks).map(([key, { about }]) => `  ${key.padEnd(18)}${about}\n`);
  const lead = name === undefined ? '' : `There is no benchmark named "${name}".\n\n`;
  process.stdout.write(`${lead}npm run bench -- NAME, with one of:\n\n${list.join('')}`);
  process.exitCode = name === undefined ? 0 : 2;
}
