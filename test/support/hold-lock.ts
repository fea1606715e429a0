// A process that holds the write lock of a SQLite file, as a worker in a long transaction does, until told to end.
import { openSqlite, untilFree } from '../../src/store/dialect/sqlite/connection.ts';

const [, , path = ''] = process.argv;
const db = await openSqlite(path, 'write');
await untilFree(() => db.exec('BEGIN IMMEDIATE'));
db.exec("INSERT INTO meta (key, value) VALUES ('written by the other process', '')");
process.send?.('holding');
process.once('message', () => {
  db.exec('COMMIT');
  db.close();
  process.send?.('released');
  process.disconnect?.();
});
