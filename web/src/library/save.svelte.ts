// Saving addresses: each is shown in the list before the server has it, some at a time are sent, and what became of each is
// known at the end.
import { messageOf, post } from '../lib/api.ts';
import type { Item } from '../lib/api-types.ts';
import { adopt, LibraryItem } from './items.svelte.ts';
import { library } from './library.svelte.ts';
import { shelves } from './shelves.svelte.ts';

export interface Saving {
  url: string;
  became: 'waiting' | 'new' | 'there' | 'failed';
  problem: string;
  item: LibraryItem | null;
}

export interface SaveOptions {
  title?: string | undefined;
  tags: readonly string[];
  collectionId: string | null;
}

const atOnce = 4;
let lastKey = 0;
/** While some are on their way, what the server tells of may be one of them. */
let onTheWay = 0;
let waiting: (() => void)[] = [];

/** Runs it when every item that is being saved here is known by its id. */
export function afterSaving(run: () => void): void {
  if (onTheWay === 0) run();
  else waiting.push(run);
}

/** `savings` are changed as they go along. */
export async function save(savings: Saving[], { title, tags, collectionId }: SaveOptions): Promise<void> {
  const todo = savings.filter(({ became }) => became === 'waiting' || became === 'failed');
  onTheWay += 1;
  const rows = new Map(todo.map((saving) => [saving, showRow(saving.url, { title, tags, collectionId })]));
  const next = async (): Promise<void> => {
    const saving = todo.shift();
    if (!saving) return;
    await saveOne(saving, rows.get(saving) as LibraryItem, { title, tags, collectionId });
    await next();
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, next));
  } finally {
    onTheWay -= 1;
    if (onTheWay === 0) {
      for (const run of waiting) run();
      waiting = [];
    }
    shelves.loadSoon();
  }
}

async function saveOne(saving: Saving, row: LibraryItem, options: SaveOptions): Promise<void> {
  const { title, tags, collectionId } = options;
  let status = 0;
  try {
    const data = await post<Item>(
      '/api/v1/items?include=details',
      {
        url: saving.url,
        ...(title && { title }),
        ...(tags.length > 0 && { tags }),
        ...(collectionId && { collectionId }),
      },
      {
        onStatus: (said) => {
          status = said;
        },
      },
    );
    const item = adopt(row, data);
    if (item !== row) library.forget(row);
    library.noteChanged([item]);
    Object.assign(saving, { item, became: status === 200 ? 'there' : 'new', problem: '' });
  } catch (error) {
    library.forget(row);
    Object.assign(saving, { became: 'failed', problem: messageOf(error) });
  }
}

/** As the server will have it. */
function showRow(url: string, { title, tags, collectionId }: SaveOptions): LibraryItem {
  lastKey += 1;
  const at = new Date().toISOString();
  const item = new LibraryItem(
    {
      id: '',
      url,
      normalizedUrl: url,
      title: title || null,
      excerpt: null,
      status: 'unread',
      isFavorite: false,
      collectionId,
      tags: [...tags].sort(),
      createdAt: at,
      updatedAt: at,
      thumbnailUrl: null,
      enrichmentStatus: 'pending',
      enrichmentError: null,
      enrichedAt: null,
      details: {
        author: '',
        siteName: '',
        language: '',
        publishedAt: null,
        canonicalUrl: '',
        wordCount: 0,
        origins: ['manual'],
        hasContent: false,
        hasPermanentCopy: false,
        hasIcon: false,
        bookmarkId: null,
        deletedAt: null,
        link: null,
      },
    },
    `new-${lastKey}`,
  );
  library.noteChanged([item]);
  return item;
}
