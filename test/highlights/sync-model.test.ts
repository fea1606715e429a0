// Random histories of several sources and two people, held against a model of one map: see support/sync-histories.ts. The
// letters are those of the properties that a sync has.
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { makeHighlight, makeWords, pageWork } from '../../src/highlights/make.ts';
import type { SyncOutcome, SyncRequest } from '../../src/highlights/reconcile.ts';
import { highlightKinds, type Snapshot } from '../../src/model/highlight.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { nothing } from '../support/highlights.ts';
import { randomText } from '../support/library.ts';
import { addUser } from '../support/reader.ts';
import {
  type AnyRow,
  allRows,
  applyDelete,
  applySync,
  type Known,
  lightRecords,
  lightRequest,
  lightSources,
  liveOf,
  nameOfRow,
  pages,
  parentOf,
  pick,
  requestOf,
  researchRequest,
  researchSources,
  researchState,
  rowsOf,
  type Step,
  sorted,
  sync,
  type Turn,
  turn,
} from '../support/sync-histories.ts';

/** More finds more; a history takes some tenths of a second on PostgreSQL. */
const history = fc.array(turn, { minLength: 4, maxLength: 14, size: 'max' });
const start = fc.array(turn, { maxLength: 6, size: 'max' });
const anyRequest = fc.oneof(
  fc
    .record({ source: fc.constantFrom(...lightSources), records: lightRecords })
    .map(({ source, records }) => lightRequest(source, records)),
  fc
    .record({ source: fc.constantFrom(...researchSources), state: researchState })
    .map(({ source, state }) => researchRequest(source, state)),
);

interface Person {
  readonly id: number;
  readonly rows: UserRows;
  readonly known: Known;
}

onEachEngine('a history of syncs', (engine) => {
  let opened: Awaited<ReturnType<typeof openFreshStore>>;
  let database: Database;
  let store: Store;
  let people = 0;

  beforeAll(async () => {
    opened = await openFreshStore(engine);
    ({ store, database } = opened);
    return () => store.close();
  });

  const person = async (): Promise<Person> => ({
    ...(await addUser(store, `person ${people++}`)),
    known: new Map(),
  });
  const rowsFor = ({ id }: Pick<Person, 'id'>) => allRows(database, id);

  async function take({ rows, known }: Person, step: Step): Promise<SyncOutcome | undefined> {
    const given = requestOf(step);
    if (given) {
      const outcome = await sync(rows, given.request);
      applySync(known, given.request, given.scope);
      return outcome;
    }
    if (step.do === 'say') {
      const about = pick(await rows.highlights.list('annotations', { limit: 200 }), step.which);
      if (about) await makeWords({ rows, randomText }, 'comments', { parentId: about.id, content: 'mine' });
    }
    if (step.do === 'delete') {
      const row = pick(await rows.highlights.list(step.kind, { limit: 200 }), step.which);
      if (!row) return undefined;
      await rows.highlights.delete(step.kind, row.id);
      const url = 'url' in row ? row.url : '';
      applyDelete(
        known,
        nameOfRow({ ...row, kind: step.kind, original_id: row.originalId, url } as unknown as AnyRow),
      );
    }
    if (step.do === 'restore') {
      const row = pick(await rows.replicas.deleted(step.kind, undefined, 200), step.which);
      if (row) await rows.replicas.restore(step.kind, row.id, pageWork);
    }
    return undefined;
  }

  async function live(turns: readonly Turn[], check?: (each: Person) => Promise<void>) {
    const everybody = [await person(), await person()] as const;
    for (const { who, waitMs, step } of turns) {
      opened.clock.advance(waitMs);
      await take(everybody[who === 1 ? 1 : 0], step);
      for (const each of everybody) await check?.(each);
    }
    return everybody;
  }

  const holds = (property: fc.IAsyncProperty<never>) => fc.assert(property, propertyRuns(10));
  const expectKnown = async (each: Person) =>
    expect(sorted(liveOf(await rowsFor(each)), each.known)).toEqual(sorted(each.known));

  it('(a) a sync that is made twice changes nothing the second time', async () => {
    await holds(
      fc.asyncProperty(start, anyRequest, async (turns, request) => {
        const [anna] = await live(turns);
        await sync(anna.rows, request);
        const before = await everything(anna);
        opened.clock.advance(1_000);
        const { counts } = await sync(anna.rows, request);
        for (const kind of highlightKinds)
          expect(counts[kind]).toMatchObject({ created: 0, updated: 0, deleted: 0 });
        expect(await everything(anna)).toEqual(before);
      }) as never,
    );
  });

  /** But when it last went well. */
  async function everything(each: Person) {
    return {
      rows: await rowsFor(each),
      items: await each.rows.items.list({ limit: 100 }),
      work: await sql`SELECT
        (SELECT count(*) FROM search_pending) AS documents, (SELECT sum(version) FROM search_pending) AS times,
        (SELECT count(*) FROM jobs) AS jobs`.execute(database.read),
    };
  }

  it('(b) what is live of a source is exactly what it has, whatever people did meanwhile', async () => {
    await holds(
      fc.asyncProperty(history, async (turns) => {
        await live(turns, expectKnown);
      }) as never,
    );
  });

  it('(c) the rows of other sources and of other people stay as they are, to the byte', async () => {
    await holds(
      fc.asyncProperty(history, fc.array(anyRequest, { minLength: 1, maxLength: 4 }), async (turns, last) => {
        const [anna, berta] = await live(turns);
        const bertas = await rowsFor(berta);
        for (const request of last) {
          const before = others(await rowsFor(anna), request.source);
          opened.clock.advance(1_000);
          await sync(anna.rows, request);
          const after = others(await rowsFor(anna), request.source);
          // Pages may be new. None is changed.
          const known = new Set(before.map(({ kind, id }) => `${kind} ${id}`));
          expect(after.filter(({ kind, id }) => known.has(`${kind} ${id}`))).toEqual(before);
          for (const row of after.filter(({ kind, id }) => !known.has(`${kind} ${id}`)))
            expect(row.source).toBe('web');
        }
        expect(await rowsFor(berta)).toEqual(bertas);
      }) as never,
    );
  });

  /** What people said goes along with what it was said about. */
  const others = (rows: readonly AnyRow[], source: string) =>
    rows.filter((row) => row.source !== source && row.source !== 'lectern' && row.source !== 'restored');

  it('(d) a sync of one page does there what a full one does, and nothing elsewhere', async () => {
    await holds(
      fc.asyncProperty(
        start,
        fc.constantFrom(...lightSources),
        fc.nat(pages.length - 1),
        lightRecords,
        lightRecords,
        async (turns, source, page, first, second) => {
          const here = second.map((record) => ({ ...record, page }));
          const ids = new Set(here.map(({ id }) => id));
          const elsewhere = first.filter((record) => record.page !== page && !ids.has(record.id));
          const [anna] = await live(turns);
          const [berta] = await live(turns);
          for (const { rows } of [anna, berta]) await sync(rows, lightRequest(source, first));
          const before = await rowsFor(anna);
          await sync(anna.rows, lightRequest(source, here, page));
          await sync(berta.rows, lightRequest(source, [...elsewhere, ...here]));
          const after = await rowsFor(anna);
          expect(sorted(undated(liveOf(after)))).toEqual(sorted(undated(liveOf(await rowsFor(berta)))));
          // One that has moved here is not there any longer; that is all.
          const elsewhereOf = (rows: readonly AnyRow[]) =>
            rows.filter(
              (row) =>
                row.source === source &&
                row.deleted_at === null &&
                nameOfRow(parentOf(row, rows) as AnyRow) !== `page|${page}` &&
                !ids.has(Number(row.original_id)),
            );
          expect(elsewhereOf(after)).toEqual(elsewhereOf(before));
        },
      ) as never,
    );
  });

  const undated = (known: Known): Known =>
    new Map([...known].map(([name, row]) => [name, { ...row, fields: { ...row.fields, madeAt: null } }]));

  it('(g) the counters of what there is and of what has gone add up, and say what happened', async () => {
    await holds(
      fc.asyncProperty(start, anyRequest, async (turns, request) => {
        const [anna] = await live(turns);
        const before = await rowsFor(anna);
        const { counts, plan } = await sync(anna.rows, request);
        const after = await rowsFor(anna);
        const wanted = rowsOf(request);
        for (const kind of highlightKinds) {
          const { created, updated, deleted, unchanged } = counts[kind];
          const own = (rows: readonly AnyRow[]) =>
            rows.filter((row) => row.kind === kind && row.source === request.source);
          const ids = new Set(own(before).map(({ id }) => id));
          const pagesMade = kind === 'resources' ? countPages(after) - countPages(before) : 0;
          const there = [...wanted.keys()].filter((name) => name.startsWith(`${kind}|`)).length;
          expect(created + updated + unchanged).toBe(there + pagesMade);
          expect(created).toBe(own(after).filter(({ id }) => !ids.has(id)).length + pagesMade);
          expect(deleted).toBe(own(after).filter(isGone).length - own(before).filter(isGone).length);
          expect(plan[kind].update).toHaveLength(updated);
          expect(plan[kind].delete).toHaveLength(deleted);
        }
      }) as never,
    );
  });

  const isGone = (row: AnyRow) => row.deleted_at !== null;
  const countPages = (rows: readonly AnyRow[]) =>
    rows.filter((row) => row.source === 'web' && !isGone(row)).length;

  it('(h) what comes back is a new row, and every replica stays as it was', async () => {
    await holds(
      fc.asyncProperty(start, anyRequest, async (turns, request) => {
        const [anna] = await live(turns);
        await sync(anna.rows, request);
        const first = (await rowsFor(anna)).filter(({ source }) => source === request.source);
        await sync(anna.rows, { ...request, snapshot: nothing });
        const gone = (await rowsFor(anna)).filter(({ source }) => source === request.source);
        expect(gone.filter((row) => !isGone(row))).toEqual([]);
        expect(gone).toHaveLength(first.length);
        const { counts } = await sync(anna.rows, request);
        const again = (await rowsFor(anna)).filter(({ source }) => source === request.source);
        expect(again.filter(isGone)).toEqual(gone);
        expect(counts.annotations).toMatchObject({ updated: 0, deleted: 0, unchanged: 0 });
        expect(again.filter((row) => !isGone(row))).toHaveLength(rowsOf(request).size);
      }) as never,
    );
  });

  it('(i) the order does not matter, nor what is said twice, nor syncs at once', async () => {
    await holds(
      fc.asyncProperty(
        fc.constantFrom(...lightSources),
        // Ids twice, and not the same: of those, always the same one is kept.
        fc.tuple(lightRecords, lightRecords).map(([some, more]) => [...some, ...more]),
        fc.infiniteStream(fc.nat()),
        async (source, records, random) => {
          const shuffled = records
            .map((record) => ({ record, at: random.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ record }) => record);
          const [anna, berta, clara] = [await person(), await person(), await person()];
          await sync(anna.rows, lightRequest(source, records));
          await sync(berta.rows, lightRequest(source, [...shuffled, ...records]));
          await Promise.all([
            sync(clara.rows, lightRequest(source, records)),
            sync(clara.rows, lightRequest(source, shuffled)),
          ]);
          const state = sorted(undated(liveOf(await rowsFor(anna))));
          expect(state).toHaveLength(new Set(records.map(({ id }) => id)).size);
          expect(sorted(undated(liveOf(await rowsFor(berta))))).toEqual(state);
          expect(sorted(undated(liveOf(await rowsFor(clara))))).toEqual(state);
          const claras = (await rowsFor(clara)).filter((row) => row.source === source && !isGone(row));
          expect(claras).toHaveLength(state.length);
        },
      ) as never,
    );
  });

  it('(j) a change of any one field is seen, and of the place', async () => {
    const { rows } = await person();
    const base = {
      resources: [
        { originalId: 'r', type: 'pdf', title: 'ab', author: 'c' },
        { originalId: 's', type: 'pdf', title: 'other', author: '' },
      ],
      annotations: [
        { originalId: 'a', resource: 'r', text: 'ab', color: 'c', boundary: { n: 1 }, madeAt: 1 },
        { originalId: 'b', resource: 'r', text: 'x', color: null, boundary: null, madeAt: 1 },
      ],
      comments: [{ originalId: 'c', annotation: 'a', content: 'said', madeAt: 1 }],
      notes: [{ originalId: 'n', resource: 'r', content: 'noted', madeAt: 1 }],
    } satisfies Snapshot;
    const request = (snapshot: Snapshot): SyncRequest => ({
      source: 'research',
      kind: 'research',
      snapshot,
      extent: 'all',
      onMove: 'update',
      dryRun: false,
    });
    const changes: readonly [keyof Snapshot, object][] = [
      ['resources', { type: 'book' }],
      ['resources', { title: 'abc', author: '' }],
      ['resources', { author: 'd' }],
      ['annotations', { text: 'abc', color: null }],
      ['annotations', { color: null }],
      ['annotations', { color: '' }],
      ['annotations', { boundary: { n: 2 } }],
      ['annotations', { boundary: { n: '1' } }],
      ['annotations', { madeAt: 2 }],
      ['annotations', { resource: 's' }],
      ['comments', { content: 'said ' }],
      ['comments', { annotation: 'b' }],
      ['comments', { madeAt: 2 }],
      ['notes', { content: 'Noted' }],
      ['notes', { resource: 's' }],
      ['notes', { madeAt: 2 }],
    ];
    for (const [kind, change] of changes) {
      await sync(rows, request(base));
      const [first, ...rest] = base[kind];
      const { counts } = await sync(rows, request({ ...base, [kind]: [{ ...first, ...change }, ...rest] }));
      for (const other of highlightKinds)
        expect(counts[other], JSON.stringify([kind, change])).toMatchObject({
          created: 0,
          updated: other === kind ? 1 : 0,
          deleted: 0,
        });
    }
  });

  it('(k) after any history a source is here as if its last state had been the first', async () => {
    await holds(
      fc.asyncProperty(history, async (turns) => {
        const [anna] = await live(turns.filter(({ step }) => requestOf(step) !== undefined));
        const fresh = await person();
        const sources = new Set([...anna.known.values()].map(({ source }) => source));
        for (const source of sources) {
          const last = turns.findLast(
            (one) => one.who === 0 && 'source' in one.step && one.step.source === source,
          );
          const isResearch = last?.step.do === 'research';
          const request =
            isResearch && last
              ? requestOf(last.step)?.request
              : lightRequest(source, lastStateOf(turns, source));
          if (request) await sync(fresh.rows, request);
        }
        const columns = (rows: readonly AnyRow[]) =>
          rows
            .filter((row) => !isGone(row) && row.source !== 'web')
            .map((row) => [nameOfRow(row), row.content_hash, row.full_hash])
            .sort();
        expect(columns(await rowsFor(fresh))).toEqual(columns(await rowsFor(anna)));
        expect(sorted(undated(liveOf(await rowsFor(fresh))))).toEqual(
          sorted(undated(liveOf(await rowsFor(anna)))),
        );
      }) as never,
    );
  });

  /** What a Light has, whose last syncs may have been of one page each. */
  function lastStateOf(turns: readonly Turn[], source: string) {
    let state: Parameters<typeof lightRequest>[1] = [];
    for (const { who, step } of turns) {
      if (who !== 0 || !('records' in step) || step.source !== source) continue;
      const page = step.do === 'scoped' ? step.page : undefined;
      const now = step.records.map((record) => (page === undefined ? record : { ...record, page }));
      const ids = new Set(now.map(({ id }) => id));
      const kept = page === undefined ? [] : state.filter((one) => one.page !== page && !ids.has(one.id));
      state = [...kept, ...now];
    }
    return state;
  }

  it('what people had back is theirs: no sync deletes or changes it', async () => {
    await holds(
      fc.asyncProperty(history, fc.array(anyRequest, { minLength: 1, maxLength: 4 }), async (turns, last) => {
        const [anna] = await live(turns);
        for (const kind of highlightKinds)
          for (const row of await anna.rows.replicas.deleted(kind, undefined, 3))
            await anna.rows.replicas.restore(kind, row.id, pageWork);
        const restored = async () =>
          (await rowsFor(anna))
            .filter((row) => row.source === 'restored' && !isGone(row))
            .map(({ resource_id: _, annotation_id: __, updated_at: ___, ...row }) => row);
        const before = await restored();
        for (const request of last) await sync(anna.rows, request);
        expect(await restored()).toEqual(before);
      }) as never,
    );
  });

  it('what people said about a passage stays with it: as it moves, goes, comes back and is restored', async () => {
    const isAboutPassages = ({ step }: Turn) =>
      requestOf(step) !== undefined || step.do === 'say' || ('kind' in step && step.kind === 'annotations');
    await holds(
      fc.asyncProperty(
        fc.array(turn.filter(isAboutPassages), { minLength: 6, maxLength: 16, size: 'max' }),
        async (turns) => {
          const anna = await person();
          /** What each was said about, by its name at the source. */
          let said = new Map<number, string>();
          for (const { step } of turns) {
            const before = await rowsFor(anna);
            await take(anna, step);
            const after = await rowsFor(anna);
            if (step.do === 'delete') {
              const gone = after.filter(
                (row) => isGone(row) && !isGone(before.find(same(row)) ?? ({ deleted_at: 0 } as AnyRow)),
              );
              const left = (id: number) => !gone.some((row) => row.kind === 'comments' && row.id === id);
              for (const comment of gone.filter((row) => row.source === 'lectern' && row.kind === 'comments'))
                expect(gone.some(same(parentOf(comment, before) as AnyRow))).toBe(true);
              said = new Map([...said].filter(([id]) => left(id)));
            }
            const mine = after.filter(
              (row) => row.kind === 'comments' && row.source === 'lectern' && !isGone(row),
            );
            for (const comment of mine)
              if (!said.has(comment.id)) said.set(comment.id, rootOf(parentOf(comment, after), after));
            expect(mine.map(({ id }) => id)).toEqual([...said.keys()]);
            for (const comment of mine) {
              const about = parentOf(comment, after) as AnyRow;
              const name = said.get(comment.id) as string;
              expect(rootOf(about, after)).toBe(name);
              // It is lost only to a passage that nobody has.
              if (isGone(about))
                expect(after.filter((row) => !isGone(row)).map(nameOfRow)).not.toContain(name);
            }
          }
        },
      ) as never,
    );
  });

  const same = (one: AnyRow) => (other: AnyRow) => one.kind === other.kind && one.id === other.id;

  /** The name that the source gave to what this is, or is a copy of. */
  function rootOf(row: AnyRow | undefined, all: readonly AnyRow[]): string {
    if (row?.source !== 'restored') return row ? nameOfRow(row) : 'nothing';
    return rootOf(
      all.find(({ kind, id }) => kind === row.kind && id === Number(row.original_id)),
      all,
    );
  }

  it('an import brings what is new and changed, deletes nothing, and leaves out what a person deleted', async () => {
    const request = (state: Parameters<typeof researchRequest>[1]): SyncRequest => ({
      ...researchRequest('kindle', state),
      kind: 'kindle',
      extent: 'some',
    });
    await holds(
      fc.asyncProperty(
        fc.array(fc.record({ state: researchState, which: fc.option(fc.nat(1000)) }), {
          minLength: 2,
          maxLength: 5,
        }),
        async (imports) => {
          const anna = await person();
          const unwanted = new Set<string>();
          for (const { state, which } of imports) {
            const before = liveOf(await rowsFor(anna));
            await sync(anna.rows, request(state));
            const now = liveOf(await rowsFor(anna));
            for (const name of before.keys()) expect(now.has(name)).toBe(true);
            const brought = rowsOf(request(state));
            // What something new is part of comes back for that.
            for (const [name, { parent }] of brought)
              if (!unwanted.has(name) && !name.startsWith('comments|')) unwanted.delete(parent);
            for (const name of now.keys()) expect(unwanted.has(name)).toBe(false);
            for (const [name, row] of brought)
              if (!unwanted.has(name) && now.has(row.parent)) expect(now.has(name)).toBe(true);
            const row = which === null ? undefined : pick([...now.keys()], which);
            if (row === undefined) continue;
            const found = (await rowsFor(anna)).find((one) => nameOfRow(one) === row && !isGone(one));
            if (found) await anna.rows.highlights.delete(found.kind, found.id);
            const left = liveOf(await rowsFor(anna));
            for (const name of now.keys()) if (!left.has(name)) unwanted.add(name);
          }
        },
      ) as never,
    );
  });

  it('a dry run says what a sync would do, and does nothing', async () => {
    await holds(
      fc.asyncProperty(start, anyRequest, async (turns, request) => {
        const [anna] = await live(turns);
        const before = await everything(anna);
        const sources = await anna.rows.syncs.sources();
        const dry = await sync(anna.rows, { ...request, dryRun: true });
        expect(await everything(anna)).toEqual(before);
        expect(await anna.rows.syncs.sources()).toEqual(sources);
        expect(await sync(anna.rows, request)).toEqual(dry);
      }) as never,
    );
  });

  it('every change has a later time than all before it, also when the clock is set back', async () => {
    await holds(
      fc.asyncProperty(history, async (turns) => {
        let last = new Map<string, AnyRow>();
        const anna = await person();
        for (const { waitMs, step } of turns) {
          opened.clock.advance(waitMs);
          const latest = Math.max(0, ...[...last.values()].map((row) => row.updated_at));
          await take(anna, step);
          const now = new Map((await rowsFor(anna)).map((row) => [`${row.kind} ${row.id}`, row]));
          for (const [key, row] of now)
            if (JSON.stringify(row) !== JSON.stringify(last.get(key)))
              expect(row.updated_at, key).toBeGreaterThan(latest);
          last = now;
        }
      }) as never,
    );
  });

  it('a passage that somebody highlights here is none of the sources', async () => {
    const anna = await person();
    const made = await makeHighlight(
      { rows: anna.rows, randomText },
      { url: 'https://example.org/0', text: 'mine', color: null, boundary: null, madeAt: null },
    );
    for (const source of lightSources) await sync(anna.rows, lightRequest(source, []));
    expect((await anna.rows.highlights.get('annotations', made.id)).text).toBe('mine');
  });
});
