import { beforeAll, describe, expect, it } from 'vitest';
import { Conflict, Invalid, NotFound } from '../../src/errors.ts';
import type { UserRows } from '../../src/store/store.ts';
import type { TestClock } from '../support/clock.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';

onEachEngine('groups', (engine) => {
  let anna: UserRows['groups'];
  let ben: UserRows['groups'];
  let clock: TestClock;

  beforeAll(async () => {
    const opened = await openFreshStore(engine);
    clock = opened.clock;
    const { store } = opened;
    const first = await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    const second = await store.users.create({ username: 'ben', passwordHash: null, role: 'member' });
    anna = store.forUser(first.id).groups;
    ben = store.forUser(second.id).groups;
    return () => store.close();
  });

  it('gives every user a default group under the id 1', async () => {
    for (const groups of [anna, ben]) {
      expect(await groups.list()).toEqual([
        { id: 1, name: 'Default', createdAt: clock.now(), updatedAt: clock.now() },
      ]);
    }
  });

  it('creates, gets, renames and deletes', async () => {
    const created = await anna.create({ name: 'News' });
    expect(await anna.get(created.id)).toEqual(created);
    clock.advance(5_000);
    const renamed = await anna.rename(created.id, { name: 'Papers' });
    expect(renamed).toEqual({ ...created, name: 'Papers', updatedAt: created.createdAt + 5_000 });
    expect(await anna.get(created.id)).toEqual(renamed);
    await anna.delete(created.id);
    await expect(anna.get(created.id)).rejects.toThrow(NotFound);
  });

  it('lists the default group first, then by id', async () => {
    await anna.rename(1, { name: 'Zuletzt' });
    const a = await anna.create({ name: 'b' });
    const b = await anna.create({ name: 'a' });
    expect((await anna.list()).map((group) => group.id)).toEqual([1, a.id, b.id]);
    for (const group of [a, b]) await anna.delete(group.id);
    await anna.rename(1, { name: 'Default' });
  });

  it('refuses a name that the user has already, and allows it to another user', async () => {
    const mine = await anna.create({ name: 'Science' });
    await expect(anna.create({ name: 'Science' })).rejects.toThrow(Conflict);
    const other = await anna.create({ name: 'Art' });
    await expect(anna.rename(other.id, { name: 'Science' })).rejects.toThrow(Conflict);
    const theirs = await ben.create({ name: 'Science' });
    await anna.delete(mine.id);
    await anna.delete(other.id);
    await ben.delete(theirs.id);
  });

  it('takes names apart that differ in case or accent', async () => {
    const groups = [];
    for (const name of ['Ecole', 'ecole', 'École']) groups.push(await anna.create({ name }));
    expect(groups.map(({ name }) => name)).toEqual(['Ecole', 'ecole', 'École']);
    expect(new Set(groups.map(({ id }) => id)).size).toBe(3);
    for (const group of groups) await anna.delete(group.id);
  });

  it('never deletes the default group', async () => {
    await expect(anna.delete(1)).rejects.toThrow(Invalid);
    expect((await anna.get(1)).name).toBe('Default');
  });

  describe("another user's group", () => {
    it('is not found, whatever is asked of it', async () => {
      const theirs = await ben.create({ name: 'Private' });
      await expect(anna.get(theirs.id)).rejects.toThrow(NotFound);
      await expect(anna.rename(theirs.id, { name: 'Mine' })).rejects.toThrow(NotFound);
      await expect(anna.delete(theirs.id)).rejects.toThrow(NotFound);
      expect(await ben.get(theirs.id)).toEqual(theirs);
      expect((await anna.list()).map((group) => group.name)).not.toContain('Private');
      await ben.delete(theirs.id);
    });

    it("is not found under the real id of that user's default group either", async () => {
      const ids = (await ben.list()).map((group) => group.id);
      expect(ids).toEqual([1]);
      await expect(ben.get(2)).rejects.toThrow(NotFound);
    });
  });

  it('keeps text as both engines can: without U+0000 and without half a surrogate pair', async () => {
    const group = await anna.create({ name: 'a\u0000b\ud800c' });
    expect(group.name).toBe('ab\ufffdc');
    expect((await anna.get(group.id)).name).toBe('ab\ufffdc');
    await anna.delete(group.id);
  });

  it('does not use the id of a deleted group again', async () => {
    const first = await anna.create({ name: 'gone' });
    await anna.delete(first.id);
    const second = await anna.create({ name: 'next' });
    expect(second.id).toBeGreaterThan(first.id);
    await anna.delete(second.id);
  });
});
