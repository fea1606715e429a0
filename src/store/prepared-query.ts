// Queries that run on every request: built and compiled once, since for a short read that is most of its time; and
// where the engine can say that nothing was committed since, answered from memory.
import type { Compilable, CompiledQuery } from 'kysely';
import type { Database, Reader } from './database.ts';

/** Stands for a value that is only known when the query runs. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

interface Prepared<R, T> {
  readonly compiled: CompiledQuery<R>;
  /** Results that are right for as long as the index is at this version. */
  version: number | undefined;
  readonly results: Map<string, readonly T[]>;
}

const rememberedResults = 500;

/**
 * `build` is called once, with stand-ins for the values:
 *
 *     const find = preparedQuery((read, { id }: { id: number }) => read.selectFrom('users').selectAll().where('id', '=', id));
 *     await find(db, { id: 7 });
 */
export function preparedQuery<P extends object, R, T = R>(
  build: (read: Reader, values: P) => Compilable<R>,
  /** What to make of a row; done once for each that is read, not for each that is asked for. */
  map: (row: R) => T = (row) => row as unknown as T,
) {
  const preparedFor = new WeakMap<Database, Prepared<R, T>>();

  return async (db: Database, values: P): Promise<readonly T[]> => {
    let prepared = preparedFor.get(db);
    if (!prepared) {
      const compiled = build(db.read, standIns<P>()).compile();
      prepared = { compiled, version: undefined, results: new Map() };
      preparedFor.set(db, prepared);
    }
    // Asked before the query runs: a commit in between makes the result newer than we note, never older.
    const version = db.dataVersion?.();
    const { results } = prepared;
    if (version !== prepared.version || results.size >= rememberedResults) results.clear();
    prepared.version = version;
    const key = Object.values(values).join('\0');
    const known = version === undefined ? undefined : results.get(key);
    if (known) return known;

    const rows = (await run(db.read, prepared.compiled, values)).map(map);
    if (version !== undefined && version === prepared.version) results.set(key, rows);
    return rows;
  };
}

async function run<P extends object, R>(
  read: Reader,
  compiled: CompiledQuery<R>,
  values: P,
): Promise<readonly R[]> {
  const parameters = compiled.parameters.map((parameter) =>
    parameter instanceof Placeholder ? values[parameter.name as keyof P] : parameter,
  );
  return (await read.executeQuery<R>({ ...compiled, parameters })).rows;
}

function standIns<P extends object>(): P {
  return new Proxy({}, { get: (_values, name) => new Placeholder(String(name)) }) as P;
}
