// Queries that run on every request: built and compiled once, since for a short read that is most of its time.
import type { Compilable, CompiledQuery } from 'kysely';
import type { Reader } from './database.ts';

/** Stands for a value that is only known when the query runs. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * `build` is called once, with stand-ins for the values:
 *
 *     const find = preparedQuery((db, { id }: { id: number }) => db.selectFrom('users').selectAll().where('id', '=', id));
 *     await find(db.read, { id: 7 });
 */
export function preparedQuery<P extends object, R>(build: (db: Reader, values: P) => Compilable<R>) {
  const compiledFor = new WeakMap<Reader, CompiledQuery<R>>();

  return async (db: Reader, values: P): Promise<R[]> => {
    let compiled = compiledFor.get(db);
    if (!compiled) {
      compiled = build(db, standIns<P>()).compile();
      compiledFor.set(db, compiled);
    }
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof P] : parameter,
    );
    return (await db.executeQuery<R>({ ...compiled, parameters })).rows;
  };
}

function standIns<P extends object>(): P {
  return new Proxy({}, { get: (_values, name) => new Placeholder(String(name)) }) as P;
}
