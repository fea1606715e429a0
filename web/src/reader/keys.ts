// What the keys of the reader do, for the panel that says so.
import type { KeyPart } from '../lib/keys.ts';
import { words } from '../lib/words.ts';

export function keyParts(): KeyPart[] {
  const k = words().reader.keys;
  return [
    {
      title: k.reading,
      keys: [
        [['j', 'k'], k.next],
        [['n', 'p'], k.nextRow],
        [['o', 'Enter'], k.open],
        [['Space'], k.page],
        [['v'], k.original],
        [['c'], k.copy],
      ],
    },
    {
      title: k.marking,
      keys: [
        [['m'], k.read],
        [['s'], k.bookmark],
        [['h'], k.highlight],
        [['A'], k.markAll],
        [['z'], k.undo],
        [['u'], k.unreadOnly],
      ],
    },
    {
      title: k.places,
      keys: [
        [['g u'], k.unread],
        [['g a'], k.all],
        [['g s'], k.bookmarks],
        [['g f'], k.feeds],
        [['g l'], k.library],
        [['g h'], k.highlights],
        [['/'], k.search],
      ],
    },
    {
      title: k.view,
      keys: [
        [['a'], k.add],
        [['r'], k.refresh],
        [['f'], k.focus],
        [['['], k.feedsPane],
        [[']'], k.listPane],
        [['?'], k.help],
      ],
    },
  ];
}
