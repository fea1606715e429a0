// What Cloudflare lends to the mirror keeps to the contract that Node keeps to.
import { mirrorIndexContract, objectsContract } from '../mirror/host-contract.ts';
import { remoteIndex, remoteObjects } from './support/remote-host.ts';
import { startWithRaindrop } from './support/with-raindrop.ts';

objectsContract('objects of a bucket in R2', async () => {
  const { worker, close } = await startWithRaindrop();
  return { objects: remoteObjects(worker), close };
});

mirrorIndexContract('the index in a database of D1', async () => {
  const { worker, close } = await startWithRaindrop();
  return {
    index: remoteIndex(worker),
    async look(id) {
      const [row] = await worker.query<{ title: string }>('SELECT title FROM raindrops WHERE id = ?', id);
      const tags = await worker.query<{ name: string }>(
        'SELECT name FROM raindrop_tags JOIN tags ON tags.id = tag_id WHERE raindrop_id = ? ORDER BY name',
        id,
      );
      return row && { title: row.title, tags: tags.map(({ name }) => name) };
    },
    // They stand in manifests/collections.json alone.
    collections: async () => undefined,
    close,
  };
});
