// A file system that fails by plan, and that forgets after a crash what nobody synced, as a disk does when the
// power goes.
import { existsSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type FileSystem, nodeFileSystem } from '../../src/library/files/file-system.ts';
import type { Faults } from './faults.ts';

/**
 * What a crash takes away. `nothing`: only the process ended. `unsynced`: the power went, and with it each change
 * of a folder and each byte that was not synced. `data`: the same, but the folders' changes had reached the disk,
 * which is how a file that was renamed too early turns out empty.
 */
export const losses = ['nothing', 'unsynced', 'data'] as const;
export type Loss = (typeof losses)[number];

export interface FaultyFileSystem extends FileSystem {
  /** Ends the process, if it has not ended, and takes away what the loss takes. */
  lose(loss: Loss): void;
}

export function faultyFileSystem(faults: Faults, real: FileSystem = nodeFileSystem): FaultyFileSystem {
  const disk = new Unsynced();
  return {
    async createFile(path) {
      const file = await faults.step('create', () => real.createFile(path));
      const state = disk.created(path);
      return {
        write: (chunk) => {
          state.isDirty = true;
          const half = () => file.write(chunk.subarray(0, chunk.byteLength >> 1));
          return faults.step('write', () => file.write(chunk), half);
        },
        sync: async () => {
          await faults.step('fsync', () => file.sync());
          state.isDirty = false;
        },
        // Always closes: a test that runs a thousand crashes must not run out of handles.
        close: () => file.close().then(() => faults.refuseIfCrashed()),
      };
    },
    async openFile(path) {
      const file = await faults.look('open', () => real.openFile(path));
      return { ...file, read: (buffer) => faults.look('read', () => file.read(buffer)) };
    },
    rename: (from, to) => faults.step('rename', () => disk.rename(from, to, () => real.rename(from, to))),
    removeFile: (path) => faults.step('unlink', () => disk.removeFile(path, () => real.removeFile(path))),
    makeFolder: (path) => faults.step('mkdir', () => disk.makeFolder(path, () => real.makeFolder(path))),
    removeFolder: (path) =>
      faults.step('rmdir', () => disk.removeFolder(path, () => real.removeFolder(path))),
    async syncFolder(path) {
      await faults.step('fsync-folder', () => real.syncFolder(path));
      disk.syncedFolder(path);
    },
    readFolder: (path) => faults.look('readdir', () => real.readFolder(path)),
    stat: (path) => faults.look('stat', () => real.stat(path)),
    realPath: (path) => faults.look('realpath', () => real.realPath(path)),
    lose(loss) {
      faults.crash();
      disk.lose(loss);
    },
  };
}

class Unsynced {
  #changes: { folder: string; undo: () => void }[] = [];
  readonly #files = new Map<string, { isDirty: boolean }>();
  readonly #kept = mkdtempSync(join(tmpdir(), 'lectern-unsynced-'));
  #keptCount = 0;

  created(path: string): { isDirty: boolean } {
    const state = { isDirty: false };
    this.#files.set(path, state);
    this.#note(path, () => rmSync(path, { force: true }));
    return state;
  }

  async rename(from: string, to: string, perform: () => Promise<void>): Promise<void> {
    const old = this.#keep(to);
    await perform();
    const [moved, replaced] = [this.#files.get(from), this.#files.get(to)];
    this.#files.delete(from);
    if (moved) this.#files.set(to, moved);
    this.#note(to, () => {
      renameSync(to, from);
      if (old) linkSync(old, to);
      if (replaced) this.#files.set(to, replaced);
    });
  }

  async removeFile(path: string, perform: () => Promise<void>): Promise<void> {
    const old = this.#keep(path);
    await perform();
    this.#note(path, () => {
      if (old) linkSync(old, path);
    });
  }

  async makeFolder(path: string, perform: () => Promise<void>): Promise<void> {
    await perform();
    this.#note(path, () => rmSync(path, { recursive: true, force: true }));
  }

  async removeFolder(path: string, perform: () => Promise<void>): Promise<void> {
    await perform();
    this.#note(path, () => mkdirSync(path, { recursive: true }));
  }

  syncedFolder(folder: string): void {
    this.#changes = this.#changes.filter((change) => change.folder !== folder);
  }

  lose(loss: Loss): void {
    if (loss !== 'nothing') {
      for (const [path, { isDirty }] of this.#files) {
        if (isDirty && existsSync(path)) truncateSync(path, 0);
      }
    }
    if (loss === 'unsynced') for (const change of this.#changes.reverse()) change.undo();
    rmSync(this.#kept, { recursive: true, force: true });
  }

  #note(path: string, undo: () => void): void {
    this.#changes.push({ folder: dirname(path), undo });
  }

  /** A second name for what is about to lose its only one. */
  #keep(path: string): string | undefined {
    if (!existsSync(path)) return undefined;
    const kept = join(this.#kept, String(this.#keptCount++));
    linkSync(path, kept);
    return kept;
  }
}
