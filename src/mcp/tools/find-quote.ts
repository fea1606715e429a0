import { z } from 'zod';
import { Invalid, NotFound } from '../../errors.ts';
import type { Annotation } from '../../model/highlight.ts';
import { plainWords, queryOf } from '../../search/telling-words.ts';
import { letOthersIn } from '../../store/let-others-in.ts';
import { takeFitting } from '../budget.ts';
import { nearness } from '../quote.ts';
import { defineTool, limit, listAnswer, maxTokens, roomFor, type ToolContext } from '../tool.ts';
import { aboutCutTexts, highlightRow } from './highlight-row.ts';

const candidates = 40;
/** The longest words of a quote are the rarest, more or less; these many tell it from others. */
const askedWords = 8;
const nearEnough = 0.7;

export const findQuote = defineTool({
  name: 'find_quote',
  title: 'Find a quote among the highlights',
  description:
    'Where does a quote come from? Finds highlights whose text contains it or nearly matches it, each with its source and what was noted.',
  writes: false,
  input: {
    quote: z.string().trim().min(1).max(2_000),
    limit: limit(20, 5),
    max_tokens: maxTokens,
  },
  async run(context, { quote, limit, max_tokens }) {
    const words = plainWords(quote).sort((a, b) => b.length - a.length);
    if (words.length === 0) throw new Invalid('quote: expected at least one word');
    const found = await context.find({
      q: queryOf(words.slice(0, askedWords), 'any'),
      kinds: ['annotation'],
      limit: candidates,
    });
    const compared: { annotation: Annotation; nearness: number }[] = [];
    for (const annotation of await annotationsOf(context, found.hits)) {
      // Each takes a few milliseconds where both are long.
      await letOthersIn();
      compared.push({ annotation, nearness: nearness(quote, annotation.text) });
    }
    const near = compared
      .filter((one) => one.nearness >= nearEnough)
      .sort((a, b) => b.nearness - a.nearness || b.annotation.madeAt - a.annotation.madeAt);
    const room = roomFor(max_tokens);
    const described = await context.rows.highlights.describe(
      near.slice(0, limit).map(({ annotation }) => annotation),
    );
    const rows = described.map((shown) => ({
      ...highlightRow(shown, room),
      match: near.find(({ annotation }) => annotation.id === shown.id)?.nearness === 1 ? 'exact' : 'near',
    }));
    const { shown, isCut } = takeFitting(rows, room);
    const more = near.length - shown.length;
    const facts = {
      about_texts: aboutCutTexts,
      ...(more > 0 && {
        go_on: `${more} more are near: call again with more of the quote, or a higher limit.`,
      }),
    };
    return listAnswer(facts, shown, { isCut });
  },
});

/** As they are now: what search knows of may have changed since. */
async function annotationsOf(
  { rows }: ToolContext,
  hits: readonly { readonly text: { readonly refId: number } }[],
): Promise<Annotation[]> {
  const found: Annotation[] = [];
  for (const { text } of hits) {
    try {
      found.push(await rows.highlights.get('annotations', text.refId));
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  }
  return found;
}
