// How much there is and how much room it takes, for the owner.
import { z } from '@hono/zod-openapi';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { isoTime, json, toIso } from '../schemas.ts';

const StorageBody = z
  .object({
    measured_at: isoTime,
    index_bytes: z.int(),
    library: z.array(z.object({ kind: z.string(), files: z.int(), bytes: z.int() })),
    counts: z.object({ users: z.int(), feeds: z.int(), entries: z.int(), bookmarks: z.int() }),
  })
  .openapi('Storage');

/** Listing a large library takes seconds: who looks again within this gets the same. */
const freshMs = 10_000;

export function storageRoutes(router: Router, { store, measureLibrary, now }: ApiDeps): void {
  let last: { at: number; answer: ReturnType<typeof measure> } | undefined;

  async function measure(): Promise<z.infer<typeof StorageBody>> {
    const [indexBytes, counts, folders] = await Promise.all([
      store.storage.sizeBytes(),
      store.storage.count(),
      measureLibrary(),
    ]);
    return {
      measured_at: toIso(now()),
      index_bytes: indexBytes,
      library: folders.map(({ folder, files, sizeBytes }) => ({ kind: folder, files, bytes: sizeBytes })),
      counts,
    };
  }

  router.owner(
    {
      method: 'get',
      path: '/api/v1/operations/storage',
      tags: ['operations'],
      summary: 'How much there is, and how much room the index and the library take',
      responses: { 200: json(z.object({ data: StorageBody }), 'Measured within the last ten seconds') },
    },
    async (c) => {
      if (!last || Math.abs(now() - last.at) >= freshMs) {
        const mine = { at: now(), answer: measure() };
        last = mine;
        mine.answer.catch(() => {
          if (last === mine) last = undefined;
        });
      }
      return c.json({ data: await last.answer }, 200);
    },
  );
}
