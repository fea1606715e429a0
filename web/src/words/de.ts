import type { Words } from '../lib/words.ts';
import { accounts } from './de/accounts.ts';
import { common } from './de/common.ts';
import { library } from './de/library.ts';
import { operations } from './de/operations.ts';
import { reader } from './de/reader.ts';
import { settings } from './de/settings.ts';

export const de: Words = { ...common, accounts, library, operations, reader, settings };
