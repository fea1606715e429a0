// What Node lends to the mirror: the library, in a folder and on S3, and the store, on both engines.
import type { MirroredCollection } from '../../src/mirror/host.ts';
import { libraryObjects } from '../../src/mirror/node/library-objects.ts';
import { storeIndex } from '../../src/mirror/node/store-index.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { onEachLibrary, openFreshFiles } from '../support/libraries.ts';
import { addUser } from '../support/reader.ts';
import { mirrorIndexContract, objectsContract } from './host-contract.ts';

onEachLibrary('the library as a host of the mirror', (library) => {
  objectsContract('objects of the library', async () => ({
    objects: libraryObjects(await openFreshFiles(library)),
    close: async () => {},
  }));
});

onEachEngine('the store as a host of the mirror', (engine) => {
  mirrorIndexContract('the index in the store', async () => {
    const { store, database } = await openFreshStore(engine);
    const { id: userId, rows } = await addUser(store, 'owner', 'owner');
    const readCollections = () =>
      database.read
        .selectFrom('collections')
        .select(['id', 'name', 'parent_id', 'external_id'])
        .where('user_id', '=', userId)
        .where('source', '=', 'raindrop')
        .execute();
    return {
      index: storeIndex(rows),
      async look(id) {
        const row = await database.read
          .selectFrom('raindrops')
          .select(['title', 'tags'])
          .where('id', '=', id)
          .where('removed_at', 'is', null)
          .executeTakeFirst();
        return row && { title: row.title, tags: (JSON.parse(row.tags) as string[]).toSorted() };
      },
      async collections() {
        const all = await readCollections();
        const externalOf = new Map(all.map((row) => [row.id, Number(row.external_id)]));
        const told = all.map(
          ({ name, parent_id, external_id }): MirroredCollection => ({
            id: Number(external_id),
            title: name,
            parentId: parent_id === null ? null : (externalOf.get(parent_id) ?? null),
          }),
        );
        return told.sort((one, other) => one.id - other.id);
      },
      close: () => database.close(),
    };
  });
});
