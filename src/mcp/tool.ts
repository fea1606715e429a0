// What a tool is: what it takes, whether it changes anything, and what it answers.
import { z } from 'zod';
import type { Files } from '../library/files/files.ts';
import type { SearchKind, SearchText } from '../model/search.ts';
import type { FindInput, Found } from '../search/find-in-library.ts';
import type { UserRows } from '../store/store.ts';
import { charactersFor, fewestTokens, mostTokens, usualTokens } from './budget.ts';

/** Whose library it is, and all that a tool may reach of it. */
export interface ToolContext {
  readonly rows: UserRows;
  readonly files: Pick<Files, 'read'>;
  /** Within the library of that user. */
  find(input: Omit<FindInput, 'userId'>): Promise<Found>;
  /** A document of that user as search reads it. */
  findText(kind: SearchKind, id: number): Promise<SearchText | undefined>;
}

export interface Answer {
  /** In our own words: counts, ids, how to go on. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Written by others: each stands in a block of its own. */
  readonly foreign?: readonly string[];
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly writes: boolean;
  readonly input: z.ZodObject;
  /** Throws a LecternError, whose sentence names the field. */
  run(context: ToolContext, input: never): Promise<Answer>;
}

export function defineTool<S extends z.ZodRawShape>(
  tool: Omit<Tool, 'input' | 'run'> & {
    readonly input: S;
    run(context: ToolContext, input: z.output<z.ZodObject<S>>): Promise<Answer>;
  },
): Tool {
  return { ...tool, input: z.strictObject(tool.input) as never };
}

export const maxTokens = z
  .int()
  .min(fewestTokens)
  .max(mostTokens)
  .default(usualTokens)
  .describe('How long the answer may be');

export const cursor = z.string().max(1_000).optional().describe('The next_cursor of the answer before');

export const limit = (most: number, usual: number) =>
  z.int().min(1).max(most).default(usual).describe('How many at most');

/** As other answers give it; a number is taken too. */
export const id = z
  .union([z.string().regex(/^[1-9]\d{0,14}$/, 'expected an id'), z.int().min(1).max(999_999_999_999_999)])
  .transform(Number);

/** A list of rows that others wrote, and where it goes on. */
export function listAnswer(
  facts: Readonly<Record<string, unknown>>,
  rows: readonly unknown[],
  { isCut = false, nextCursor }: { isCut?: boolean; nextCursor?: string | undefined },
): Answer {
  return {
    facts: {
      ...facts,
      count: rows.length,
      ...(isCut && { cut: 'The rest did not fit within max_tokens.' }),
      next_cursor: nextCursor ?? null,
      ...(nextCursor !== undefined && { go_on: 'Call again with cursor set to next_cursor.' }),
    },
    ...(rows.length > 0 && { foreign: [`[${rows.map((row) => JSON.stringify(row)).join(',\n')}]`] }),
  };
}

export const roomFor = (tokens: number): number => charactersFor(tokens);

export function dateOf(millis: number): string {
  return new Date(millis).toISOString();
}
