// Every sentence of the web app, in English. The other languages have the same shape, which the compiler checks.
import { accounts } from './en/accounts.ts';
import { common } from './en/common.ts';
import { library } from './en/library.ts';
import { operations } from './en/operations.ts';
import { reader } from './en/reader.ts';
import { settings } from './en/settings.ts';

export const en = { ...common, accounts, library, operations, reader, settings };
