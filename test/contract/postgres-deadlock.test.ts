import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import type { Database, Writer } from '../../src/store/database.ts';
import { onOneEngine, openEmptyStore } from '../support/engines.ts';

onOneEngine('postgres', 'two transactions that wait for each other', (engine) => {
  let database: Database;

  beforeEach(async () => {
    ({ database } = await openEmptyStore(engine));
  });

  it('are both done in the end, one of them at its second attempt', async () => {
    const [one, two] = [{ key: 'one' }, { key: 'two' }];
    await database.write((trx) =>
      trx
        .insertInto('meta')
        .values([one, two].map(({ key }) => ({ key, value: '' })))
        .execute(),
    );
    const append = (trx: Writer, { key }: { key: string }, text: string) =>
      sql`UPDATE meta SET value = value || ${text} WHERE key = ${key}`.execute(trx);
    let [attempts, holding] = [0, 0];
    let bothHold = () => {};
    const both = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    const transactions: Promise<void>[] = [];
    const inOrder = (first: { key: string }, second: { key: string }, text: string) =>
      database.write(async (trx) => {
        attempts += 1;
        // PostgreSQL lets the second attempt overtake a waiting transaction, which ends in another deadlock.
        if (attempts > 2) await Promise.race(transactions);
        await append(trx, first, text);
        holding += 1;
        if (holding === 2) bothHold();
        await both;
        await append(trx, second, text);
      });
    transactions.push(inOrder(one, two, 'a'), inOrder(two, one, 'b'));
    await Promise.all(transactions);
    expect(attempts).toBe(3);
    const rows = await database.read
      .selectFrom('meta')
      .selectAll()
      .where('key', 'in', ['one', 'two'])
      .execute();
    expect(new Set(rows.map(({ value }) => value)).size).toBe(1);
    expect(rows.map(({ value }) => value.length)).toEqual([2, 2]);
  });
});
