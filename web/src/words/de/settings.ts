import type { Words } from '../../lib/words.ts';

export const settings: Words['settings'] = {};
