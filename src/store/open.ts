// Opens the index that LECTERN_DATABASE_URL names, at the present schema.
import { LecternError, StartupError } from '../errors.ts';
import type { Clock } from '../model/glossary.ts';
import type { Secret } from '../model/secret.ts';
import type { Database } from './database.ts';
import { cannotConnect, openPostgresDatabase } from './dialect/postgres/open.ts';
import { openSqliteDatabase } from './dialect/sqlite/open.ts';
import { createStore, type Store } from './store.ts';

export type Target =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: Secret; readonly shown: string };

export interface OpenOptions {
  readonly now: Clock;
  readonly onIdleError: (error: Error) => void;
}

export async function openStore(target: Target, options: OpenOptions): Promise<Store> {
  return createStore(await openDatabase(target, options), options.now);
}

export async function openDatabase(target: Target, { now, onIdleError }: OpenOptions): Promise<Database> {
  try {
    if (target.engine === 'sqlite') return await openSqliteDatabase(target.path, now);
    return await openPostgresDatabase({ url: target.url.reveal(), now, onIdleError });
  } catch (error) {
    if (error instanceof StartupError || error instanceof LecternError) throw error;
    if (target.engine === 'postgres') throw cannotConnect(target.shown, error as Error);
    throw new StartupError(
      `LECTERN_DATABASE_URL: cannot open ${target.path} (${(error as Error).message}). ` +
        'Check that it is a SQLite file, and that its folder can be written.',
      { cause: error },
    );
  }
}
