const plural = (n: number, one: string, many: string) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

export const mirror = {
  title: 'Mirror of Raindrop',
  lead: 'What you keep at Raindrop.io, as files of your own library.',
  notYours:
    'It shows how far the mirror of the owner’s bookmarks at Raindrop is. Nothing of yours depends on it.',
  run: 'Run the next batch now',
  asked: {
    started: 'The next batch is called for and begins in a moment.',
    'under-way': 'One is under way already, so that none was added. The next follows by itself.',
  },
  setup: {
    what: 'What does it do?',
    does: 'Lectern can keep a mirror of your bookmarks at Raindrop.io: every one with its title, tags, collection, note and highlights, and with its permanent copy where Raindrop has made one.',
    keeps:
      'They become plain files of your library, are found by search, and stay when you delete them at Raindrop, or when Raindrop is gone. The mirror only reads: nothing is ever changed at Raindrop.',
    how: 'How is it switched on?',
    make: 'Make a token: open the integrations of Raindrop, press “Create new app”, give it any name, open it, and press “Create test token”.',
    link: 'Integrations at Raindrop',
    set: 'Set it in the environment of Lectern, where its other settings are, with your token in place of the dots. It opens your whole account: keep it like a password.',
    restart: 'Start Lectern anew. The first batch begins within a minute, and this page shows how far it is.',
    kept: 'No token is set, so that nothing new is fetched. What was fetched before is here.',
  },
  state: {
    question: 'How far is it?',
    running: 'A batch is running.',
    problem: 'The last batch had to stop.',
    first: 'Nothing is fetched yet. The first batch begins within a minute.',
    waiting: (when: string) => `Waiting for the next batch: ${when}.`,
    current: 'Up to date.',
    currentHint: 'It looks once a day for what has changed.',
    overdue: 'The next batch should have begun and has not.',
    overdueLink: 'See what Lectern is doing',
    safe: 'What is here is safe, and the next batch goes on from there.',
    before: 'The batch before this one had to stop:',
    progress: (done: string, total: string) => `${done} of ${total} are here`,
    bar: 'Bookmarks that are here',
    phases: {
      idle: 'Asking what there is.',
      updates: 'Fetching what is new or has changed.',
      trash: 'Looking for what was deleted.',
      count: 'Counting, to be sure that nothing was missed.',
      sweep: 'Looking through everything for what no change has told of.',
      removals: 'Asking for those that were not to be seen any more.',
      copies: 'Asking again for copies that were not ready.',
    },
    show: 'Show them in the library',
  },
  facts: {
    here: 'Bookmarks that are here',
    removed: 'Deleted at Raindrop, kept here',
    until: 'Everything until',
    untilHint: 'What was changed at Raindrop up to then is here.',
    began: 'This run began',
    ended: 'Last complete run',
    next: 'Next batch',
    done: 'Probably complete',
    batches: (n: number) => `after ${plural(n, 'more batch', 'more batches')}`,
    never: 'never',
    nothing: 'nothing yet',
    runsNow: 'runs now',
    soon: 'within a minute',
    late: 'overdue',
  },
  copies: {
    question: 'What became of the permanent copies?',
    hint: 'The page itself, as Raindrop kept it when you saved it.',
    kinds: {
      stored: 'Kept here',
      none: 'Raindrop has none',
      pending: 'Raindrop is still making them',
      refused: 'Raindrop could not make them',
      failed: 'Could not be fetched',
    },
    what: 'What',
    many: 'How many',
    waiting: (n: number) =>
      n === 1
        ? '1 of them is asked for again later.'
        : `${n.toLocaleString('en')} of them are asked for again later.`,
  },
  slow: {
    question: 'Why does it take its time?',
    why: 'Out of politeness to a server of others: fifty bookmarks an hour, at six to ten requests a minute.',
    faster: 'This command leaves out the pauses and goes on to the end; run it where Lectern runs:',
  },
};
