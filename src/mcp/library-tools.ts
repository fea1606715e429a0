// Every tool that assistants are given.
import type { Tool } from './tool.ts';
import { findQuote } from './tools/find-quote.ts';
import { getText } from './tools/get-text.ts';
import { listHighlights } from './tools/list-highlights.ts';
import { listTags } from './tools/list-tags.ts';
import { markRead } from './tools/mark-read.ts';
import { recentEntries } from './tools/recent-entries.ts';
import { save } from './tools/save.ts';
import { search } from './tools/search.ts';
import { tag } from './tools/tag.ts';

export const libraryTools: readonly Tool[] = [
  ...[search, getText, findQuote, listHighlights, recentEntries, listTags],
  ...[save, tag, markRead],
];
