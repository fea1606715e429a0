// Opens the files of the library that LECTERN_LIBRARY_URL names.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, RandomText } from '../../model/glossary.ts';
import type { Secret } from '../../model/secret.ts';
import type { FileSystem } from './file-system.ts';
import type { Files } from './files.ts';
import { openFolderFiles } from './folder-files.ts';
import { openS3Files } from './s3-files.ts';

export type LibraryTarget =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 's3'; readonly url: Secret; readonly shown: string };

export interface FilesDeps {
  readonly now: Clock;
  readonly randomText: RandomText;
  /** The rest is the real thing unless a test has another. */
  readonly fileSystem?: FileSystem;
  readonly fetch?: typeof fetch;
  readonly pause?: (millis: number) => Promise<void>;
  readonly timeoutMs?: number;
  readonly spoolFolder?: string;
}

/** Throws a StartupError of one line when the library cannot be used. */
export function openFiles(target: LibraryTarget, deps: FilesDeps): Promise<Files> {
  return target.kind === 'folder'
    ? openFolderFiles(target.path, deps)
    : openS3Files({ url: target.url }, { pause: (millis) => pause(millis), ...deps });
}
