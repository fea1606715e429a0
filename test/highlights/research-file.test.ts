// The database of Research as it may be found: whole, being written to, locked, old, broken, or something else. Nothing of it
// may change by being read, and what cannot be read whole is not read at all.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Invalid, LecternError, Upstream } from '../../src/errors.ts';
import { readResearch } from '../../src/store/research/read-research.ts';

const schema = `
  CREATE TABLE items (id TEXT PRIMARY KEY, title TEXT, deleted_at TEXT, created_at TEXT);
  CREATE TABLE annotations (id TEXT PRIMARY KEY, item_id TEXT, content TEXT, color TEXT, position TEXT,
    deleted_at TEXT, created_at TEXT, updated_at TEXT);
  CREATE TABLE comments (id TEXT PRIMARY KEY, annotation_id TEXT, content TEXT, deleted_at TEXT, created_at TEXT);
  CREATE TABLE notes (id TEXT PRIMARY KEY, item_id TEXT, content TEXT, deleted_at TEXT, created_at TEXT);`;
const sound = `
  INSERT INTO items (id, title) VALUES ('i1', 'A paper');
  INSERT INTO annotations (id, item_id, content, color, position, created_at) VALUES
    ('a1', 'i1', '{"text":"marked"}', 'yellow', '{"boundingRect":{"pageNumber":3,"x1":1.5},"rects":[]}', '2024-03-05T09:12:45Z');
  INSERT INTO comments (id, annotation_id, content) VALUES ('c1', 'a1', 'said');
  INSERT INTO notes (id, item_id, content) VALUES ('n1', 'i1', 'noted');`;

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'research-'));
  path = join(folder, 'research.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function make(sql: string, at = path): void {
  const db = new DatabaseSync(at);
  db.exec(sql);
  db.close();
}

async function failureOf(given = path): Promise<LecternError> {
  try {
    await readResearch(given);
  } catch (error) {
    expect(error).toBeInstanceOf(LecternError);
    return error as LecternError;
  }
  throw new Error('it was read');
}

/** Everything in the folder, to the byte. */
function filesThere(): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  );
}

describe('a database of Research', () => {
  it.each(['DELETE', 'TRUNCATE', 'PERSIST', 'WAL'])(
    'is read whole, and stays as it is (%s)',
    async (mode) => {
      make(`PRAGMA journal_mode = ${mode}; ${schema} ${sound}`);
      const before = filesThere();
      expect(await readResearch(path)).toEqual({
        resources: [{ originalId: 'i1', type: 'pdf', title: 'A paper' }],
        annotations: [
          {
            originalId: 'a1',
            resource: 'i1',
            text: 'marked',
            color: 'yellow',
            boundary: {
              pageNumber: 3,
              position: { boundingRect: { pageNumber: 3, x1: 1.5 }, rects: [] },
              source: 'research',
            },
            madeAt: Date.UTC(2024, 2, 5, 9, 12, 45),
          },
        ],
        comments: [{ originalId: 'c1', annotation: 'a1', content: 'said', madeAt: null }],
        notes: [{ originalId: 'n1', resource: 'i1', content: 'noted', madeAt: null }],
      });
      expect(filesThere()).toEqual(before);
    },
  );

  it('leaves out what was deleted there, and what was part of that', async () => {
    make(`${schema} ${sound}
      INSERT INTO items (id, title, deleted_at) VALUES ('i2', 'gone', '2024-01-01');
      INSERT INTO annotations (id, item_id, content, position, deleted_at) VALUES
        ('a2', 'i2', 'half', 'half', NULL), ('a3', 'i1', 'half', 'half', '2024-01-01'), ('a4', 'never there', '{}', '{}', NULL);
      INSERT INTO comments (id, annotation_id, content, deleted_at) VALUES
        ('c2', 'a2', 'x', NULL), ('c3', 'a3', 'x', NULL), ('c4', 'a1', 'x', '2024-01-01');
      INSERT INTO notes (id, item_id, content, deleted_at) VALUES ('n2', 'i2', 'x', NULL), ('n3', 'i1', 'x', '2024-01-01');`);
    const { resources, annotations, comments, notes } = await readResearch(path);
    expect(
      [resources, annotations, comments, notes].map((rows) => rows.map(({ originalId }) => originalId)),
    ).toEqual([['i1'], ['a1'], ['c1'], ['n1']]);
  });

  it('of an old version, without deleted_at, has nothing that was deleted', async () => {
    make(`CREATE TABLE items (id INTEGER PRIMARY KEY, title);
      CREATE TABLE annotations (id INTEGER PRIMARY KEY, item_id, content, color, position);
      CREATE TABLE comments (id INTEGER PRIMARY KEY, annotation_id, content);
      CREATE TABLE notes (id INTEGER PRIMARY KEY, item_id, content);
      INSERT INTO items VALUES (9007199254740993, NULL);
      INSERT INTO annotations VALUES (1, 9007199254740993, '{"image":"x"}', NULL, NULL);
      INSERT INTO comments VALUES (1, 1, NULL);
      INSERT INTO notes VALUES (1, 9007199254740993, 5);`);
    expect(await readResearch(path)).toEqual({
      resources: [{ originalId: '9007199254740993', type: 'pdf', title: '' }],
      annotations: [
        {
          originalId: '1',
          resource: '9007199254740993',
          text: '',
          color: null,
          boundary: { pageNumber: null, position: null, source: 'research' },
          madeAt: null,
        },
      ],
      comments: [{ originalId: '1', annotation: '1', content: '', madeAt: null }],
      notes: [{ originalId: '1', resource: '9007199254740993', content: '5', madeAt: null }],
    });
  });

  it('with nothing in its tables is empty, which is no failure', async () => {
    make(schema);
    expect(await readResearch(path)).toEqual({ resources: [], annotations: [], comments: [], notes: [] });
  });

  it('is read with what is still in its WAL', async () => {
    const before = join(folder, 'before.db');
    make(`PRAGMA journal_mode = WAL; ${schema}`, before);
    const db = new DatabaseSync(before);
    db.exec(sound);
    for (const suffix of ['', '-wal', '-shm']) copyFileSync(before + suffix, path + suffix);
    db.close();
    expect((await readResearch(path)).annotations).toHaveLength(1);
    const wal = statSync(`${path}-wal`);
    expect(wal.size).toBeGreaterThan(0);
  });

  it('may be large', async () => {
    make(schema);
    const db = new DatabaseSync(path);
    db.exec("BEGIN; INSERT INTO items (id, title) VALUES ('i', 'T')");
    const insert = db.prepare(
      'INSERT INTO annotations (id, item_id, content, color, position) VALUES (?, ?, ?, ?, ?)',
    );
    const position = JSON.stringify({
      boundingRect: { pageNumber: 1, x1: 1, y1: 2, x2: 3, y2: 4, width: 5, height: 6 },
      rects: [{ x1: 1, y1: 2, x2: 3, y2: 4, width: 5, height: 6, pageNumber: 1 }],
    });
    for (let n = 0; n < 100_000; n++) insert.run(`a${n}`, 'i', `{"text":"marked ${n}"}`, 'yellow', position);
    db.exec('COMMIT');
    db.close();
    const { annotations } = await readResearch(path);
    expect(new Set(annotations.map(({ text }) => text)).size).toBe(100_000);
  });
});

describe('a database of Research that another program has open', () => {
  async function withProgram(does: 'lock' | 'write', work: () => Promise<void>): Promise<void> {
    const program = fork(new URL('./research-program.ts', import.meta.url), [path, does]);
    try {
      await once(program, 'message');
      await work();
    } finally {
      program.send('end');
      await once(program, 'exit');
    }
  }

  it.each(['WAL', 'DELETE'])('is read as it was at one moment, while it is written to (%s)', async (mode) => {
    make(`PRAGMA journal_mode = ${mode}; PRAGMA synchronous = OFF; ${schema} ${sound}`);
    // Enough for the first table to be over when the last begins.
    make(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)
      INSERT INTO annotations (id, item_id, content, position) SELECT 'm' || n, 'i1', '{"text":"1"}', '{}' FROM n`);
    const seen: number[] = [];
    await withProgram('write', async () => {
      for (let n = 0; n < 8; n++) {
        // Between two transactions there is little room; to be told so is right, and half of one would not be.
        const read = await readResearch(path).catch((error: Error) => error);
        if (read instanceof Error) {
          expect(read).toBeInstanceOf(Upstream);
          continue;
        }
        const { resources, annotations, comments, notes } = read;
        const numbers = new Set([
          ...resources.map(({ title }) => title),
          ...annotations.map(({ text }) => text),
          ...[...comments, ...notes].map(({ content }) => content),
        ]);
        expect([...numbers]).toHaveLength(1);
        seen.push(Number(resources[0]?.title));
      }
    });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  it('is not read while it is locked, and is afterwards', async () => {
    make(`${schema} ${sound}`);
    await withProgram('lock', async () => {
      const failure = await failureOf();
      expect(failure).toBeInstanceOf(Upstream);
      expect(failure.message).toBe(
        `${path} is locked by another program: try again, or close that program first`,
      );
    });
    expect((await readResearch(path)).annotations).toHaveLength(1);
  });

  it('is read by several at once', async () => {
    make(`PRAGMA journal_mode = WAL; ${schema} ${sound}`);
    const all = await Promise.all(Array.from({ length: 4 }, () => readResearch(path)));
    expect(new Set(all.map((snapshot) => JSON.stringify(snapshot))).size).toBe(1);
  });
});

describe('what is no database of Research', () => {
  it.each<[what: string, make: () => void, kind: typeof Invalid | typeof Upstream, message: string]>([
    ['nothing', () => {}, Upstream, 'is not there: check the path, and that its disk is connected'],
    ['a folder', () => mkdirSync(path), Invalid, 'is a folder: name the database file in it'],
    [
      'a link',
      () => {
        make(`${schema} ${sound}`, join(folder, 'other.db'));
        symlinkSync(join(folder, 'other.db'), path);
      },
      Invalid,
      'is a link: name the file that it points to',
    ],
    [
      'a file with nothing in it',
      () => writeFileSync(path, ''),
      Invalid,
      'is empty: it may have been copied only in part, so copy or restore it again',
    ],
    [
      'a text',
      () => writeFileSync(path, 'SQLite is a database. '.repeat(100)),
      Invalid,
      'is not a SQLite database: name the database file of Research',
    ],
    [
      'the beginning of a header',
      () => writeFileSync(path, 'SQLite format 3\0'),
      Invalid,
      'is not a SQLite database: name the database file of Research',
    ],
    [
      'a header and nothing that makes sense',
      () => writeFileSync(path, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5_000, 0xee)])),
      Invalid,
      'is not a SQLite database: name the database file of Research',
    ],
    [
      'a database without tables',
      () => make('PRAGMA user_version = 1'),
      Invalid,
      'has no table "items": it is no database of Research, or of an older version; open it once in the present one',
    ],
    [
      'one that lacks a table',
      () => make(`${schema} DROP TABLE notes`),
      Invalid,
      'has no table "notes": it is no database of Research, or of an older version; open it once in the present one',
    ],
    [
      'one that lacks a column',
      () => make(`${schema} ALTER TABLE annotations DROP COLUMN position`),
      Invalid,
      'has no column "position" in its table "annotations": it is no database of Research, or of an older version; open it once in the present one',
    ],
    [
      'one that has a view instead',
      () => make(`${schema} ALTER TABLE notes RENAME TO n; CREATE VIEW notes AS SELECT * FROM n`),
      Invalid,
      'has no table "notes": it is no database of Research, or of an older version; open it once in the present one',
    ],
  ])('is refused: %s', async (_what, prepare, kind, message) => {
    prepare();
    const before = readdirSync(folder);
    const failure = await failureOf();
    expect(failure).toBeInstanceOf(kind);
    expect(failure.message).toBe(`${path} ${message}`);
    expect(readdirSync(folder)).toEqual(before);
  });

  it.each(['research.db', './research.db', '', 'file:///research.db'])(
    'is refused: the path %j',
    async (given) => {
      expect(await failureOf(given)).toBeInstanceOf(Invalid);
    },
  );

  it('is refused: a path with a zero in it, and one below a file', async () => {
    expect(await failureOf(`${path}\0.db`)).toBeInstanceOf(Invalid);
    make(schema);
    expect((await failureOf(`${path}/x`)).message).toBe(
      `${path}/x is not there: check the path, and that its disk is connected`,
    );
  });

  it('is refused: a file that may not be read', async () => {
    make(schema);
    chmodSync(path, 0);
    // Whoever is root may read everything.
    if (process.getuid?.() === 0) expect((await readResearch(path)).annotations).toEqual([]);
    else expect((await failureOf()).message).toContain('may not be read by this server');
  });
});

describe('a database of Research that is damaged', () => {
  function makeLarge(mode = 'DELETE'): void {
    make(`PRAGMA journal_mode = ${mode}; ${schema} INSERT INTO items (id, title) VALUES ('i', 'T');
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)
      INSERT INTO annotations (id, item_id, content, position)
      SELECT 'a' || n, 'i', '{"text":"' || hex(randomblob(100)) || '"}', '{}' FROM n`);
  }

  it.each(['DELETE', 'WAL'])('was cut in the middle (%s)', async (mode) => {
    makeLarge(mode);
    truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096);
    const failure = await failureOf();
    expect(failure).toBeInstanceOf(Invalid);
    expect(failure.message).toMatch(/is damaged and cannot be read whole: repair it with/);
  });

  it('was cut in the middle of a page', async () => {
    makeLarge();
    truncateSync(path, Math.floor(statSync(path).size / 2) + 100);
    expect((await failureOf()).message).toContain('is damaged');
  });

  it('has other bytes in any of its pages', async () => {
    makeLarge();
    const whole = readFileSync(path);
    const expected = JSON.stringify(await readResearch(path));
    const pages = whole.length / 4096;
    let found = 0;
    for (let page = 1; page < pages; page += Math.ceil(pages / 12)) {
      const bytes = Buffer.from(whole);
      bytes.fill(0, page * 4096, (page + 1) * 4096);
      writeFileSync(path, bytes);
      // A page that is only of an index, or free, takes nothing away.
      const outcome = await readResearch(path).then(JSON.stringify, (error: Error) => error);
      if (typeof outcome === 'string') expect(outcome).toBe(expected);
      else {
        expect(outcome).toBeInstanceOf(Invalid);
        found++;
      }
    }
    expect(found).toBeGreaterThan(5);
  });

  it('has a table that seems to end early', async () => {
    makeLarge();
    const bytes = readFileSync(path);
    // The page above those that hold the rows: https://www.sqlite.org/fileformat2.html#b_tree_pages
    const inner = 0x05;
    const at = Array.from({ length: bytes.length / 4096 }, (_, page) => page * 4096).find(
      (start) => start > 0 && bytes[start] === inner && bytes.readUInt16BE(start + 3) > 10,
    );
    bytes.writeUInt16BE(5, (at as number) + 3);
    writeFileSync(path, bytes);
    expect((await failureOf()).message).toContain('is damaged');
  });

  describe('has an index', () => {
    /** What is done to the table while nothing is known of its index. */
    function behindTheIndex(sql: string): void {
      make(`${schema} ${sound}
        INSERT INTO annotations (id, item_id, content, deleted_at) VALUES ('a2', 'i1', '{"text":"also"}', '2024-01-01');
        CREATE INDEX live ON annotations (deleted_at);
        CREATE TABLE aside AS SELECT * FROM sqlite_schema WHERE name = 'live'`);
      const steps = [
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'live'",
        sql,
        'PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM aside',
      ];
      for (const step of steps) {
        const db = new DatabaseSync(path, { defensive: false });
        db.exec(step);
        db.close();
      }
    }

    it('that has other values than the table, which are not believed', async () => {
      behindTheIndex("UPDATE annotations SET deleted_at = NULL WHERE id = 'a2'");
      expect((await readResearch(path)).annotations.map(({ text }) => text)).toEqual(['marked', 'also']);
    });

    it('that has more rows than the table, or fewer', async () => {
      behindTheIndex("DELETE FROM annotations WHERE id = 'a2'");
      expect((await failureOf()).message).toContain('is damaged');
    });
  });

  it('was left in the middle of a change', async () => {
    const before = join(folder, 'before.db');
    make(`${schema} ${sound}`, before);
    const db = new DatabaseSync(before);
    db.exec(`PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; DELETE FROM annotations;
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)
      INSERT INTO notes (id, item_id, content) SELECT 'x' || n, 'i1', hex(randomblob(200)) FROM n`);
    for (const suffix of ['', '-journal']) copyFileSync(before + suffix, path + suffix);
    db.exec('ROLLBACK');
    db.close();
    const failure = await failureOf();
    expect(failure).toBeInstanceOf(Upstream);
    expect(failure.message).toBe(
      `${path} was left in the middle of a change: open it once in Research, which finishes or undoes that`,
    );
  });

  const loose = schema.replaceAll(' TEXT PRIMARY KEY', '');
  it.each<[what: string, sql: string, message: string]>([
    [
      'malformed JSON in content',
      `UPDATE annotations SET content = '{"text":"mar'`,
      'in its table "annotations", the row "a1" has malformed JSON in content',
    ],
    [
      'nothing in content',
      'UPDATE annotations SET content = NULL',
      'in its table "annotations", the row "a1" has nothing in content',
    ],
    [
      'bytes in content',
      "UPDATE annotations SET content = x'7b7d'",
      'in its table "annotations", the row "a1" has malformed JSON in content',
    ],
    [
      'a list in content',
      "UPDATE annotations SET content = '[]'",
      'in its table "annotations", the row "a1" has JSON in content that is no object',
    ],
    [
      'a text that is none',
      `UPDATE annotations SET content = '{"text":1}'`,
      'in its table "annotations", the row "a1" has a text in content that is none',
    ],
    [
      'malformed JSON in position',
      "UPDATE annotations SET position = '{'",
      'in its table "annotations", the row "a1" has malformed JSON in position',
    ],
    [
      'a position without an end',
      `UPDATE annotations SET position = '${'['.repeat(500)}${']'.repeat(500)}'`,
      'in its table "annotations", the row "a1" has JSON in position that is nested too deep',
    ],
    ['an item without an id', 'UPDATE items SET id = NULL', 'in its table "items", a row has no id'],
    [
      'an annotation without an id',
      'UPDATE annotations SET id = NULL',
      'in its table "annotations", a row has no id',
    ],
    ['a comment with an empty id', "UPDATE comments SET id = ''", 'in its table "comments", a row has no id'],
    ['a note whose id is bytes', "UPDATE notes SET id = x'01'", 'in its table "notes", a row has no id'],
    [
      'a note of no item',
      'UPDATE notes SET item_id = NULL',
      'in its table "notes", the row "n1" has no item_id',
    ],
    [
      'bytes in a note',
      "UPDATE notes SET content = x'ff'",
      'in its table "notes", the row "n1" has bytes in content, where a text should be',
    ],
  ])('has %s', async (_what, sql, message) => {
    make(`${loose} ${sound} ${sql}`);
    const failure = await failureOf();
    expect(failure).toBeInstanceOf(Invalid);
    expect(failure.message).toBe(`${path}: ${message}: open it in Research and repair or delete that`);
  });

  it.each<[table: string, id: SQLInputValue]>([
    ['items', 'i1'],
    ['annotations', 'a1'],
    ['comments', 'c1'],
    ['notes', 'n1'],
  ])('has an id twice: %s', async (table, id) => {
    make(`${loose} ${sound} INSERT INTO ${table} SELECT * FROM ${table}`);
    const failure = await failureOf();
    expect(failure.message).toBe(
      `${path}: its table "${table}" has two rows with the id "${id}": it was written only in part`,
    );
  });
});

describe('the thread that reads', () => {
  it('hands over the next portion when the one before was taken, so that nobody waits for all of them', async () => {
    const thread = `import { once } from 'node:events'; import { parentPort } from 'node:worker_threads';
      for (const originalId of ['1', '2', '3']) {
        const next = once(parentPort, 'message');
        parentPort.postMessage({ rows: { resources: [{ originalId }] } });
        await next;
      }
      parentPort.postMessage({ done: true });`;
    const script = new URL(`data:text/javascript,${encodeURIComponent(thread)}`);
    const { resources } = await readResearch(path, { script });
    expect(resources.map(({ originalId }) => originalId)).toEqual(['1', '2', '3']);
  });

  it('that ends by itself is a failure', async () => {
    const script = new URL(`data:text/javascript,${encodeURIComponent('process.exit(3)')}`);
    await expect(readResearch(path, { script })).rejects.toThrow(
      new Upstream(`${path} could not be read to its end: try again`),
    );
  });

  it('that breaks is a failure, and the next one is none', async () => {
    const script = new URL(`data:text/javascript,${encodeURIComponent('throw new Error("x")')}`);
    await expect(readResearch(path, { script })).rejects.toBeInstanceOf(Upstream);
    make(`${schema} ${sound}`);
    expect((await readResearch(path)).annotations).toHaveLength(1);
  });

  it('that never ends is ended', async () => {
    const script = new URL(`data:text/javascript,${encodeURIComponent('setInterval(() => {}, 1000)')}`);
    await expect(readResearch(path, { script, timeoutMs: 50 })).rejects.toThrow(
      new Upstream(`${path} takes too long to read: try again when its disk is less busy`),
    );
  });
});
