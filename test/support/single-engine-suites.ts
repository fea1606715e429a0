// Suites that make sense on one engine only, each with the reason. A suite that is not here runs on both.
import type { EngineName } from './engines.ts';

export const singleEngineSuites: readonly { engine: EngineName; title: string; reason: string }[] = [
  {
    engine: 'sqlite',
    title: 'locks of the SQLite file',
    reason: 'PostgreSQL has no lock on the whole database and never waits in our process',
  },
  {
    engine: 'sqlite',
    title: 'the backup guide',
    reason: 'it deletes the file of the index; what it restores is the same for both engines',
  },
  {
    engine: 'sqlite',
    title: 'copy before a migration',
    reason: 'a PostgreSQL database is not a file of ours; its operator backs it up',
  },
  {
    engine: 'sqlite',
    title: 'an index whose file is deleted while it is open',
    reason: 'a PostgreSQL database is not a file of ours',
  },
  {
    engine: 'sqlite',
    title: 'an index file',
    reason: 'users cannot delete or damage a PostgreSQL database by its file',
  },
  {
    engine: 'sqlite',
    title: 'a crash at a file operation',
    reason: 'the files do not know which engine the index has; the transactions are ended on both',
  },
  {
    engine: 'postgres',
    title: 'a migration beside a transaction that is open',
    reason: 'SQLite has one writer: a migration begins when no other transaction is open',
  },
  {
    engine: 'postgres',
    title: 'the heartbeat beside a handler that has its row locked',
    reason: 'SQLite has one writer and locks no rows: the heartbeat takes its turn',
  },
  {
    engine: 'postgres',
    title: 'two transactions that wait for each other',
    reason: 'SQLite has one writer: no transaction waits for another while it holds anything',
  },
  {
    engine: 'postgres',
    title: 'statistics after a reinflate',
    reason: 'SQLite is told in each statement by which index to go',
  },
  {
    engine: 'postgres',
    title: 'a server that falls silent',
    reason: 'SQLite is no server',
  },
  {
    engine: 'postgres',
    title: 'connections to the server',
    reason: 'SQLite is no server',
  },
  {
    engine: 'postgres',
    title: 'many connections that are reset',
    reason: 'SQLite is no server',
  },
  {
    engine: 'postgres',
    title: 'a network that drops packets',
    reason: 'SQLite is no server',
  },
  {
    engine: 'postgres',
    title: 'a server that ends its sessions',
    reason: 'SQLite is no server',
  },
  {
    engine: 'postgres',
    title: 'rolling restarts behind a load balancer',
    reason: 'several APIs and workers share a PostgreSQL; SQLite is for one machine',
  },
  {
    engine: 'postgres',
    title: 'a cluster in which something breaks',
    reason: 'processes on several machines share PostgreSQL; a SQLite file has no connections that break',
  },
  {
    engine: 'postgres',
    title: 'a cluster in which something breaks for ten minutes',
    reason: 'processes on several machines share PostgreSQL; a SQLite file has no connections that break',
  },
  {
    engine: 'sqlite',
    title: 'a start on an old database',
    reason: 'ReedMe and Fusion have SQLite files alone; into PostgreSQL they are imported',
  },
  {
    engine: 'sqlite',
    title: 'a start on an old database that is interrupted',
    reason: 'ReedMe and Fusion have SQLite files alone; into PostgreSQL they are imported',
  },
  {
    engine: 'sqlite',
    title: 'processes on an old database',
    reason: 'ReedMe and Fusion have SQLite files alone; into PostgreSQL they are imported',
  },
  {
    engine: 'sqlite',
    title: 'a write that goes to the disk',
    reason: 'PostgreSQL sends every commit to the disk',
  },
  {
    engine: 'sqlite',
    title: 'highlights on the command line',
    reason: 'the commands only pass on what the suites of highlights show on both',
  },
  {
    engine: 'sqlite',
    title: 'the mirror on the command line',
    reason: 'the commands only pass on what the suites of the mirror show on both',
  },
];

export function isListedAsSingle(engine: EngineName, title: string): boolean {
  return singleEngineSuites.some((suite) => suite.engine === engine && suite.title === title);
}
