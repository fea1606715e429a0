// Segments that cannot be used are moved to `set-aside/`. Lectern never deletes them.
import type { Files } from './files/files.ts';

export async function setAside(files: Files, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const bytes = await files.read(key);
    if (bytes === undefined) continue;
    await files.put(`set-aside/${key}`, bytes);
    await files.delete(key);
  }
}
