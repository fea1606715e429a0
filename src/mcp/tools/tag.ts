import { Invalid, NotFound } from '../../errors.ts';
import { changeItems } from '../../items/save-item.ts';
import { defineTool, id } from '../tool.ts';
import { tagNames } from './tag-names.ts';

export const tag = defineTool({
  name: 'tag',
  title: 'Tag a saved page',
  description: 'Gives a saved page tags, or takes them away. What is said twice is done once.',
  writes: true,
  input: { item_id: id, add: tagNames.optional(), remove: tagNames.optional() },
  async run({ rows }, { item_id, add = [], remove = [] }) {
    if (add.length + remove.length === 0) throw new Invalid('add, remove: expected at least one tag');
    await rows.items.get(item_id).catch((error: unknown) => {
      throw error instanceof NotFound ? new NotFound('item_id: item', { cause: error }) : error;
    });
    for (const [action, names] of [
      ['addTags', add],
      ['removeTags', remove],
    ] as const) {
      if (names.length > 0)
        await changeItems(rows, { ids: [item_id], action, tags: names, collectionId: null });
    }
    const { tags } = await rows.items.get(item_id);
    return { facts: { id: String(item_id) }, foreign: [JSON.stringify({ tags })] };
  },
});
