import type { Words } from '../../lib/words.ts';

export const search: Words['search'] = {
  label: 'Deine Bibliothek durchsuchen',
  placeholder: 'Alles durchsuchen',
  found: (n, text) => (n === 0 ? 'Nichts gefunden' : `${text} gefunden`),
  foundAtLeast: (text) => `Mehr als ${text} gefunden`,
  clear: 'Leeren',
  more: 'Mehr zeigen',
  untitled: 'Ohne Titel',
  kinds: {
    entry: '',
    item: 'Gespeichert',
    bookmark: 'Lesezeichen',
    feed: 'Feed',
    annotation: 'Markierung',
    note: 'Notiz',
    deframed: 'Entschärft',
  },
  teach: {
    title: 'Finde alles, dem du folgst oder was du aufgehoben hast',
    examples: [
      { query: 'winter garten', means: 'beide Wörter, irgendwo im Text' },
      { query: '"zweite klasse"', means: 'diese Wörter, eines nach dem anderen' },
      { query: 'kaffee -maschine', means: 'das erste Wort, ohne das zweite' },
      { query: 'brot OR kuchen', means: 'eines von beiden, oder beide' },
      { query: 'foto*', means: 'jedes Wort, das so beginnt' },
    ],
  },
  keys: { box: 'ins Suchfeld', walk: 'durch das Gefundene gehen', open: 'öffnen' },
  nothing: {
    title: 'Davon ist hier nichts',
    text: 'Lectern hat alles durchgesehen, dem du folgst und was du aufgehoben hast.',
    instead: 'Vielleicht eines davon:',
  },
  problems: {
    quote: 'Eine Wortfolge braucht ein " am Ende.',
    or: 'OR braucht auf beiden Seiten ein Wort, wie in brot OR kuchen.',
    'or-not': 'OR verbindet Wörter, die du suchst; ein Wort mit Minus kann nicht daneben stehen.',
    'no-word': 'Gib mindestens ein Wort an, das du suchst: Ein Minus allein lässt nur weg.',
    'too-long': 'Das ist zu viel für eine Suche. Nimm weniger Wörter.',
    prefix: (text) => `Vor den Stern von ${text}* gehören mindestens drei Buchstaben.`,
  },
};
