import { describe, expect, it } from 'vitest';
import type { Change } from '../../web/src/offline/changes.ts';
import { storeInMemory } from '../../web/src/offline/memory-store.ts';

const mark = (id: number): Change => ({ kind: 'mark', ids: [id], read: true });

describe('where the browser has no database', () => {
  it('changes wait on the page, in order, until they are sent', async () => {
    const store = storeInMemory();
    const first = await store.add(mark(1));
    const second = await store.add(mark(2), 5_000);
    expect(await store.all()).toEqual([
      { id: first, change: mark(1) },
      { id: second, change: mark(2), notBefore: 5_000 },
    ]);
    await store.remove([first]);
    expect(await store.all()).toEqual([{ id: second, change: mark(2), notBefore: 5_000 }]);
  });
});
