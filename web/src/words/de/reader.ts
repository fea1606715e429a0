import type { Words } from '../../lib/words.ts';

export const reader: Words['reader'] = {};
