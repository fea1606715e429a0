// A process that writes to the index as a worker would, slowly: holds the write lock for as long as it is told.
import { DatabaseSync } from 'node:sqlite';

const [path = '', holdMs] = process.argv.slice(2);
const db = new DatabaseSync(path);
db.exec('BEGIN IMMEDIATE');
db.exec("INSERT INTO meta (key, value) VALUES ('bench', 'held') ON CONFLICT DO UPDATE SET value = 'again'");
process.stdout.write('held\n');
setTimeout(() => {
  db.exec('COMMIT');
  db.close();
}, Number(holdMs));
