import { z } from 'zod';
import { defineTool, id } from '../tool.ts';

const most = 200;

export const markRead = defineTool({
  name: 'mark_read',
  title: 'Mark entries read',
  description: 'Marks entries of feeds read, or unread again. Ids that are not there are passed over.',
  writes: true,
  input: { entry_ids: z.array(id).min(1).max(most), read: z.boolean().default(true) },
  async run({ rows }, { entry_ids, read }) {
    const ids = [...new Set(entry_ids)];
    await rows.entries.mark(ids, { read });
    const found = new Set((await rows.entries.getMany(ids)).map((entry) => entry.id));
    const missing = ids.filter((one) => !found.has(one)).map(String);
    return { facts: { marked: found.size, as: read ? 'read' : 'unread', not_found: missing } };
  },
});
