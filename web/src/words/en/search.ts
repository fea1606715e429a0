export const search = {
  label: 'Search your library',
  placeholder: 'Search everything',
  found: (n: number, text: string) => (n === 0 ? 'Nothing found' : `${text} found`),
  foundAtLeast: (text: string) => `More than ${text} found`,
  clear: 'Clear',
  more: 'Show more',
  untitled: 'Untitled',
  kinds: { entry: '', item: 'Saved', bookmark: 'Bookmark', feed: 'Feed', annotation: 'Highlight', note: 'Note', deframed: 'Deframed' },
  teach: {
    title: 'Find anything you follow or have kept',
    examples: [
      { query: 'winter garden', means: 'both words, anywhere in the text' },
      { query: '"night train"', means: 'these words, one after the other' },
      { query: 'coffee -machine', means: 'the first word, without the second' },
      { query: 'bread OR cake', means: 'one of the two, or both' },
      { query: 'photo*', means: 'every word that begins so' },
    ],
  },
  keys: { box: 'to the box', walk: 'walk through what was found', open: 'open' },
  nothing: {
    title: 'Nothing like that here',
    text: 'Lectern looked through everything you follow and everything you have kept.',
    instead: 'Perhaps one of these:',
  },
  problems: {
    quote: 'A phrase needs a " at its end.',
    or: 'OR needs a word on either side, as in bread OR cake.',
    'or-not': 'OR joins words to look for; a word with a minus cannot stand beside it.',
    'no-word': 'Add at least one word to look for: a minus alone only leaves out.',
    'too-long': 'That is too much for one search. Use fewer words.',
    prefix: (text: string) => `Put at least three letters before the star of ${text}*.`,
  },
};
