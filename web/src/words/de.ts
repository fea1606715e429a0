import type { Words } from '../lib/words.ts';
import { accounts } from './de/accounts.ts';
import { common } from './de/common.ts';
import { operations } from './de/operations.ts';
import { parts } from './de/parts.ts';
import { reader } from './de/reader.ts';
import { search } from './de/search.ts';
import { settings } from './de/settings.ts';

export const de: Words = { ...common, accounts, operations, parts, reader, search, settings };
