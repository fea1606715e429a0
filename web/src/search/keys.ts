// What the keys of the search page do, for the panel that says so.
import type { KeyPart } from '../lib/keys.ts';
import { searchWords } from './words.ts';

export function keyParts(): KeyPart[] {
  const k = searchWords().keys;
  return [
    {
      title: k.finding,
      keys: [
        [['/'], k.box],
        [['j', 'k'], k.walk],
        [['o', 'Enter'], k.open],
        [['Esc'], k.back],
      ],
    },
    {
      title: k.refining,
      keys: [
        [['Shift Enter'], k.ask],
        [['a'], k.askAnywhere],
        [['m'], k.mode],
        [['f'], k.filters],
        [['Alt click'], k.leaveOut],
        [['s'], k.save],
        [['z'], k.undo],
      ],
    },
    {
      title: k.places,
      keys: [
        [['g a'], k.all],
        [['g u'], k.unread],
        [['g s'], k.bookmarks],
        [['g l'], k.library],
        [['g h'], k.highlights],
        [['?'], k.help],
      ],
    },
  ];
}
