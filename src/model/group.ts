import type { Millis } from './glossary.ts';

/** Every user sees their own default group under this id, whatever its id in the index. */
export const DEFAULT_GROUP_ID = 1;

export interface Group {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}
