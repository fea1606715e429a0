import type { Words } from '../../lib/words.ts';

export const operations: Words['operations'] = {};
