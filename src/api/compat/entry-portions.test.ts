import { describe, expect, it } from 'vitest';
import type { SourcedEntry } from '../../model/entry.ts';
import type { UserRows } from '../../store/store.ts';
import { inPortions } from './entry-portions.ts';

/** A store whose entries have so many characters, and the sizes that it is asked for. */
function storeOf(charactersOf: (id: number) => number | undefined) {
  const asked: number[] = [];
  const getMany = async (ids: readonly number[]) => {
    asked.push(ids.length);
    return ids.flatMap((id) => {
      const characters = charactersOf(id);
      return characters === undefined ? [] : [{ id, content: 'x'.repeat(characters) } as SourcedEntry];
    });
  };
  return { asked, rows: { stream: { getMany } } as unknown as Pick<UserRows, 'stream'> };
}

async function read(charactersOf: (id: number) => number | undefined, count: number) {
  const { asked, rows } = storeOf(charactersOf);
  const ids = Array.from({ length: count }, (_, n) => n + 1);
  const found: number[] = [];
  for await (const portion of inPortions(rows, ids)) found.push(...portion.map(({ id }) => id));
  return { asked, found, ids };
}

describe('portions of entries', () => {
  it('are all of them, in their order', async () => {
    const { asked, found, ids } = await read(() => 1_000, 1_300);
    expect(found).toEqual(ids);
    expect(asked).toEqual([20, 80, 320, 400, 400, 80]);
  });

  it('are smaller where the texts are long', async () => {
    expect((await read(() => 50_000, 60)).asked).toEqual([20, 8, 8, 8, 8, 8]);
    expect((await read(() => 2_000_000, 23)).asked).toEqual([20, 1, 1, 1]);
  });

  it('grow step by step, since longer texts may follow', async () => {
    const { asked } = await read((id) => (id <= 20 ? 10 : 50_000), 120);
    expect(asked.slice(0, 3)).toEqual([20, 80, 8]);
  });

  it('go on past entries that are gone', async () => {
    const { asked, found } = await read((id) => (id > 900 ? 0 : undefined), 1_000);
    expect(asked).toEqual([20, 80, 320, 500, 80]);
    expect(found).toHaveLength(100);
  });

  it('are none of nothing', async () => {
    expect((await read(() => 1, 0)).asked).toEqual([]);
  });
});
