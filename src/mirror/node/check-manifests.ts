// The manifests in the library, compared with the rows of the index.
import { LeaseLost } from '../../errors.ts';
import type { Files } from '../../library/files/files.ts';
import { durableTables } from '../../store/durable.ts';
import type { Store } from '../../store/store.ts';
import {
  type CheckOptions,
  checkManifests,
  type ListedRaindrop,
  type ManifestProblem,
  type RepairedManifests,
  repairManifests,
} from '../check-manifests.ts';
import { iso } from '../raindrop.ts';
import { libraryObjects } from './library-objects.ts';
import { leaseTtlMs, mirrorLease } from './mirror.ts';

interface Deps {
  readonly files: Files;
  readonly store: Pick<Store, 'durableRows' | 'leases'>;
}

export function checkLibraryManifests(
  { files, store }: Deps,
  options: CheckOptions,
): Promise<ManifestProblem[]> {
  return checkManifests(libraryObjects(files), listRaindrops(store), options);
}

export async function repairLibraryManifests(
  { files, store }: Deps,
  holder: string,
): Promise<RepairedManifests> {
  const problems = await checkLibraryManifests({ files, store }, { readData: true });
  if (problems.length === 0) return { repaired: [], lost: [] };
  const lease = await store.leases.acquire(mirrorLease, holder, leaseTtlMs);
  if (!lease) {
    const lost = problems.map(({ key, what }) => ({
      key,
      what: `${what}; try again when the mirror has ended`,
    }));
    return { repaired: [], lost };
  }
  const objects = libraryObjects(files);
  try {
    return await repairManifests(
      {
        ...objects,
        async putIf(key, data, version) {
          if (!(await store.leases.renew(lease, leaseTtlMs))) throw new LeaseLost(mirrorLease);
          return objects.putIf(key, data, version);
        },
      },
      listRaindrops(store),
    );
  } finally {
    await store.leases.release(lease);
  }
}

async function* listRaindrops(store: Pick<Store, 'durableRows'>): AsyncGenerator<ListedRaindrop> {
  for (const table of durableTables) {
    if (table.name !== 'raindrops') continue;
    for await (const { id, updated_at: updatedAt, removed_at: removedAt } of store.durableRows(table)) {
      yield {
        id: Number(id),
        updatedAt: iso(Number(updatedAt)),
        removedAt: removedAt === null ? null : iso(Number(removedAt)),
      };
    }
  }
}
