// Tags that an assistant gives.
import { z } from 'zod';
import { parseTagName } from '../../items/tag-name.ts';
import { itemLimits } from '../../model/item.ts';
import { cleanText } from '../../store/clean-text.ts';

const tagName = z
  .string()
  .max(500)
  .transform((text, context) => {
    const name = parseTagName(cleanText(text));
    if (name !== undefined) return name;
    context.addIssue(`expected 1 to ${itemLimits.tag} characters, without commas`);
    return z.NEVER;
  });

/** Those that differ only in how they are written are one. */
export const tagNames = z
  .array(tagName)
  .max(itemLimits.tagsOfItem)
  .transform((names) => [...new Set(names)]);
