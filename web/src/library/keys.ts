// What the keys of the library do, for the panel that says so.
import type { KeyPart } from '../lib/keys.ts';
import { words } from '../lib/words.ts';

export function keyParts(): KeyPart[] {
  const k = words().library.keys;
  const { keys } = words().reader;
  return [
    {
      title: k.walking,
      keys: [
        [['j', 'k'], k.next],
        [['o', 'Enter'], k.open],
        [['Esc'], k.close],
        [['v'], k.original],
        [['c'], k.copy],
        [['h'], k.highlight],
        [['f'], k.focus],
      ],
    },
    {
      title: k.acting,
      keys: [
        [['s'], k.favourite],
        [['e'], k.archive],
        [['t'], k.tag],
        [['m'], k.move],
        [['i'], k.edit],
        [['#'], k.remove],
        [['z'], k.undo],
      ],
    },
    {
      title: keys.view,
      keys: [
        [['a'], k.save],
        [['x'], k.select],
        [['*'], k.selectAll],
        [['w'], k.view],
        [['u'], k.unread],
        [['['], k.placesPane],
        [['?'], k.help],
      ],
    },
    {
      title: keys.places,
      keys: [
        [['g l'], k.library],
        [['g u'], k.reader],
        [['g h'], k.highlights],
        [['/'], k.search],
      ],
    },
  ];
}
