import type { Words } from '../../lib/words.ts';

export const search: Words['search'] = {};
