import type { Files } from './files/files.ts';

export interface FolderStats {
  /** The first part of the keys: journal, items, thumbnails, ... */
  readonly folder: string;
  readonly files: number;
  readonly sizeBytes: number;
}

export async function libraryStats(files: Files): Promise<FolderStats[]> {
  const byFolder = new Map<string, { files: number; sizeBytes: number }>();
  for await (const { key, sizeBytes } of files.listAll('')) {
    const folder = key.split('/')[0] ?? key;
    if (folder === 'locks') continue;
    const stats = byFolder.get(folder) ?? { files: 0, sizeBytes: 0 };
    byFolder.set(folder, { files: stats.files + 1, sizeBytes: stats.sizeBytes + sizeBytes });
  }
  return [...byFolder].map(([folder, stats]) => ({ folder, ...stats }));
}
