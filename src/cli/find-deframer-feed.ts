// Which feed of the deframer an operator means: by its address, its id, or the beginning of its id.
import { parseDeframerUrl } from '../deframer/feed-url.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { DeframerFeed } from '../model/deframer.ts';
import type { DeframerFeedStore } from '../store/deframer/deframer-feed-store.ts';
import { printable } from './table.ts';

type Feeds = Pick<DeframerFeedStore, 'find' | 'list'>;

const wholeId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const beginningOfId = /^(?=[\da-f-]{6,35}$)[\da-f]{6,8}(-[\da-f-]*)?$/;

/** One that was deleted is found too, so that a command can say so. Throws NotFound, or Invalid for what names no feed. */
export async function getDeframerFeed(feeds: Feeds, text: string): Promise<DeframerFeed> {
  const id = text.trim().toLowerCase();
  if (beginningOfId.test(id)) return getByBeginning(feeds, id);
  const name = wholeId.test(id) ? id : parseDeframerUrl(text);
  if (name === undefined) {
    throw new Invalid(
      `expected a feed: its http(s) address, its id, or 6 or more digits that its id begins with; got "${printable(text)}"`,
    );
  }
  const found = await feeds.find(name);
  if (!found) throw notFound(name);
  return found;
}

async function getByBeginning(feeds: Feeds, beginning: string): Promise<DeframerFeed> {
  // What is deleted stands in nobody's way.
  for (const deleted of [false, true]) {
    const [found, ...others] = (await feeds.list({ deleted })).filter(({ id }) => id.startsWith(beginning));
    if (others.length > 0) {
      throw new Conflict(
        `the ids of ${others.length + 1} feeds begin with ${beginning}: give more of the id, or the address`,
      );
    }
    if (found) return found;
  }
  throw notFound(beginning);
}

function notFound(name: string): NotFound {
  return new NotFound(`feed ${printable(name)}`);
}
