import { expect, it } from 'vitest';
import { repairManifests } from './check-manifests.ts';

const key = 'manifests/2026-03.jsonl';
const raindrop = { id: 7, updatedAt: '2026-03-01T00:00:00.000Z', removedAt: null };

/** Objects with no manifest. `isChanged`: another mirror writes it before the repair does. */
async function repair({ isChanged }: { isChanged: boolean }) {
  const written: string[] = [];
  const outcome = await repairManifests(
    {
      read: async () => undefined,
      readVersion: async () => undefined,
      list: async function* () {},
      putIf: async (name) => {
        if (!isChanged) written.push(name);
        return !isChanged;
      },
    },
    (async function* () {
      yield raindrop;
    })(),
  );
  return { ...outcome, written };
}

it('a missing manifest is written again', async () => {
  expect(await repair({ isChanged: false })).toMatchObject({ repaired: [key], written: [key] });
});

it('a manifest that another mirror changes during the repair is listed and not overwritten', async () => {
  const { repaired, lost } = await repair({ isChanged: true });
  expect(repaired).toEqual([]);
  expect(lost).toContainEqual({
    key,
    what: 'it is missing; it has changed meanwhile, so run the repair again',
  });
});
