import { z } from 'zod';
import { Invalid } from '../../errors.ts';
import { saveItem } from '../../items/save-item.ts';
import { itemLimits } from '../../model/item.ts';
import { cleanText } from '../../store/clean-text.ts';
import type { UserRows } from '../../store/store.ts';
import { cutLine, wholeUrl } from '../budget.ts';
import { defineTool } from '../tool.ts';
import { tagNames } from './tag-names.ts';

export const save = defineTool({
  name: 'save',
  title: 'Save a page',
  description:
    'Saves a page to the library; what it is, is found out in the background. One that is there already is given the tags, and stays what it is otherwise.',
  writes: true,
  input: {
    url: z.string().trim().min(1).max(itemLimits.url),
    tags: tagNames.optional(),
    collection: z
      .union([z.int().min(1), z.string().trim().min(1).max(500)])
      .optional()
      .describe('The id or the name of a collection that there is'),
  },
  async run({ rows }, { url, tags = [], collection }) {
    const collectionId = collection === undefined ? null : await collectionIdOf(rows, collection);
    const { item, isNew } = await saveItem(rows, { url: cleanText(url), tags, collectionId });
    const about = { title: cutLine(item.title, 200), url: wholeUrl(item.url) };
    return {
      facts: { id: String(item.id), saved: isNew, was_there_already: !isNew },
      foreign: [JSON.stringify(about)],
    };
  },
});

async function collectionIdOf({ collections }: UserRows, given: number | string): Promise<number> {
  const words = String(given).toLowerCase();
  const all = await collections.list();
  const found = all.find(({ id }) => String(id) === words);
  if (found) return found.id;
  const [one, ...others] = all.filter(({ name }) => name.toLowerCase() === words);
  if (!one) throw new Invalid('collection: there is none of that name or id');
  if (others.length > 0) throw new Invalid('collection: there are several of that name; give the id of one');
  return one.id;
}
