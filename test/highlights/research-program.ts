// Another program that has a database of Research open, until told to end: it holds the file locked, or writes to it all
// the time, so that after each of its transactions the same number stands in all tables.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

const [, , path = '', does = ''] = process.argv;
const db = new DatabaseSync(path, { timeout: 5_000 });
let isTold = false;
process.once('message', () => {
  isTold = true;
});

if (does === 'lock') {
  db.exec('BEGIN EXCLUSIVE');
  process.send?.('ready');
  while (!isTold) await pause(1);
} else {
  // What a reader waits for in between is that this one lets go.
  for (let n = 1; !isTold; n++) {
    db.exec(`BEGIN IMMEDIATE;
      UPDATE items SET title = ${n};
      UPDATE annotations SET content = '{"text":"${n}"}';
      UPDATE comments SET content = ${n};
      UPDATE notes SET content = ${n};
      COMMIT`);
    if (n === 1) process.send?.('ready');
    await pause(2);
  }
}
db.close();
process.disconnect?.();
