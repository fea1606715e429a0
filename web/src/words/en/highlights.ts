const number = (n: number) => n.toLocaleString('en');
const plural = (n: number, one: string, many: string) => `${number(n)} ${n === 1 ? one : many}`;

/** The page of all highlights. */
export const highlights = {
  lead: 'What you marked, wherever you read it.',
  views: { label: 'Views', all: 'All', deleted: 'Deleted', sources: 'Sources' },
  types: { website: 'Page', pdf: 'PDF', book: 'Book' },
  notes: { label: 'Notes about this page' },
  untitled: 'Untitled',
  original: (host: string) => `Original at ${host}`,
  more: 'Show more',
  loaded: (n: number, hasMore: boolean) =>
    hasMore ? `The first ${number(n)} highlights.` : `${plural(n, 'highlight', 'highlights')}.`,
  row: {
    more: 'More for this highlight',
    makeColour: (colour: string) => `Make it ${colour}`,
    onlyPage: 'Only this page',
    inStep: (source: string) => `Kept in step with ${source}`,
  },
  filters: {
    label: 'Filters',
    show: 'Narrow the list',
    source: 'Source',
    anySource: 'Any source',
    colour: 'Colour',
    anyColour: 'Any colour',
    noColour: 'no colour',
    from: 'From',
    to: 'To',
    thisPage: 'This page',
    allPages: (title: string) => `Without the filter ${title}`,
    clear: 'Clear the filters',
  },
  deleted: {
    lead: 'Deleted here, or no longer at their source. Restoring one makes a copy that no sync deletes.',
    none: 'Nothing was deleted',
    noneHint:
      'What you delete here, and what disappears at a source, waits here for you to change your mind.',
    when: (age: string) => `deleted ${age}`,
    restore: 'Restore',
    restored: 'Restored.',
    show: 'Show it',
  },
  empty: {
    title: 'Nothing highlighted yet',
    text: 'Select a passage in anything you read here and choose a colour, or press h. What you marked elsewhere can come here too.',
    library: 'Open your library',
    bring: 'Bring highlights here',
    noMatch: 'No highlight fits these filters',
  },
  sources: {
    kinds: {
      light: 'Light',
      research: 'Research',
      kindle: 'Kindle',
      readwise: 'Readwise',
      hypothesis: 'Hypothesis',
      koreader: 'KOReader',
    } as Record<string, string>,
    counts: (created: number, updated: number, deleted: number, unchanged: number) =>
      [
        created > 0 && `${number(created)} new`,
        updated > 0 && `${number(updated)} changed`,
        deleted > 0 && `${number(deleted)} deleted`,
        unchanged > 0 && `${number(unchanged)} unchanged`,
      ]
        .filter(Boolean)
        .join(', ') || 'nothing in it',
    changed: ({ created, updated, deleted }: { created: number; updated: number; deleted: number }) =>
      created + updated + deleted === 0
        ? 'In step: nothing has changed.'
        : `In step: ${number(created)} new, ${number(updated)} changed, ${number(deleted)} deleted.`,
    state: {
      title: 'Where they come from',
      none: 'No source yet. What you highlight in Lectern needs none.',
      last: (age: string) => `last sync: ${age}`,
      never: 'no sync yet',
      failed: (age: string) => `The last attempt failed${age ? ` (${age})` : ''}:`,
      nothingLost: 'Nothing was changed here.',
      show: 'Show',
    },
    light: {
      title: 'Light',
      lead: 'The browser extension sends all its highlights; what it has no more is deleted here, and can be restored.',
      address: 'Address',
      addressHint: 'In the settings of the extension.',
      token: 'Token',
      tokenHint: 'With the right to write. It goes beside the address.',
      makeToken: 'Make a token',
    },
    research: {
      title: 'Research',
      lead: 'Its database on the machine of this Lectern is read, and never written.',
      path: 'Path of the file',
      pathHint: 'The whole path, from the root.',
      saved: 'Saved.',
      sync: 'Sync now',
    },
    import: {
      title: 'Import a file',
      lead: 'You see what a file would bring before anything is changed. What you have deleted here is not brought back.',
      from: 'From',
      kinds: { kindle: 'Kindle', readwise: 'Readwise', hypothesis: 'Hypothesis', koreader: 'KOReader' },
      hints: {
        kindle: 'My Clippings.txt, from the folder “documents” of the Kindle.',
        readwise: 'The CSV that Readwise exports.',
        hypothesis: 'The JSON that Hypothesis exports.',
        koreader: 'The JSON of its exporter, or the file metadata.*.lua beside a book.',
      },
      choose: 'Choose a file',
      tooLarge: 'The file is larger than 64 MB. Nothing was imported.',
      looking: 'Looking at the file',
      fresh: (n: number, pages: number) =>
        `${plural(n, 'new highlight', 'new highlights')}${pages > 0 ? ` in ${plural(pages, 'new book or page', 'new books or pages')}` : ''}`,
      notes: (n: number) => plural(n, 'new note', 'new notes'),
      updated: (n: number) => `${number(n)} changed`,
      unchanged: (n: number) => `${number(n)} already here`,
      leftOut: (n: number) => `${number(n)} left out, since you deleted ${n === 1 ? 'it' : 'them'} here`,
      skipped: (n: number) => `${plural(n, 'entry', 'entries')} that cannot be read`,
      nothing: 'There is nothing new in it.',
      run: 'Import',
      importing: 'Importing',
      done: (created: number, updated: number) =>
        `Imported: ${number(created)} new, ${number(updated)} changed.`,
    },
    export: {
      title: 'Export',
      lead: 'All your highlights and notes, as a file of your own.',
      markdown: 'Markdown',
      json: 'JSON',
      w3c: 'W3C annotations',
    },
  },
};
