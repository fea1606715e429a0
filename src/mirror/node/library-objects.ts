// The library as the place for the mirror's objects. Whoever writes here has the mirror's lease, so nobody comes between a
// look at a file and its change.
import { type Files, sha256Of } from '../../library/files/files.ts';
import type { Objects } from '../host.ts';

export function libraryObjects(files: Files): Objects {
  return {
    read: (key) => files.read(key),

    put: async (key, data) => void (await files.put(key, data)),

    async readVersion(key) {
      const bytes = await files.read(key);
      return bytes && { bytes, version: sha256Of(bytes) };
    },

    async putIf(key, data, version) {
      const bytes = await files.read(key);
      if ((bytes && sha256Of(bytes)) !== version) return false;
      await files.put(key, data);
      return true;
    },

    async sha256(key) {
      const bytes = await files.read(key);
      return bytes && sha256Of(bytes);
    },

    folders: (prefix) => files.folders(prefix),

    digest: sha256Of,

    async *list(prefix) {
      for await (const { key } of files.listAll(prefix)) yield key;
    },
  };
}
