import { it } from 'vitest';
import { isDeep } from './depth.ts';

/** A test of `npm run test:deep` alone, in a suite whose main tests `npm test` runs too. */
export const deepIt = (isDeep ? it : () => {}) as (name: string, run: () => Promise<void>) => void;
