export const common = {
  places: {
    read: 'Read',
    library: 'Library',
    highlights: 'Highlights',
    search: 'Search',
    operations: 'Operations',
    mirror: 'Mirror',
    deframer: 'Deframer',
    settings: 'Settings',
    label: 'Places',
  },
  actions: {
    cancel: 'Cancel',
    close: 'Close',
    save: 'Save',
    remove: 'Remove',
    undo: 'Undo',
    retry: 'Try again',
    back: 'Back',
    more: 'More',
    copy: 'Copy',
    copied: 'Copied.',
    logOut: 'Log out',
    skipToContent: 'Skip to the content',
  },
  errors: {
    offline: 'Lectern cannot be reached. Nothing was lost; try again in a moment.',
    server: 'Lectern could not do that. Nothing was lost; try again in a moment.',
    tooMany: (minutes: number) =>
      `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    notSaved: 'That was not saved.',
  },
  time: {
    now: 'now',
    minutes: (n: number) => `${n} min`,
    hours: (n: number) => `${n} h`,
    yesterday: 'yesterday',
    days: (n: number) => `${n} days`,
    soon: 'in a moment',
    inMinutes: (n: number) => `in ${n} min`,
    inHours: (n: number) => `in ${n} h`,
    inDays: (n: number) => (n === 1 ? 'tomorrow' : `in ${n} days`),
  },
  connection: {
    offline: 'Offline. You see what this browser has kept.',
    offlineWaiting: (n: number) =>
      n === 1
        ? 'Offline. One change waits and is sent later.'
        : `Offline. ${n} changes wait and are sent later.`,
    waiting: (n: number) =>
      n === 1 ? 'One change is still being sent.' : `${n} changes are still being sent.`,
  },
  similar: { title: 'Similar', byWords: 'by words of the title', highlight: 'Highlight' },
  themes: { system: 'System', light: 'Light', dark: 'Dark', sepia: 'Sepia' },
  charts: {
    today: 'Today',
    day: 'Day',
    asTable: 'As a table',
    summary: (what: string, total: string, days: number) => `${what}: ${total} in ${days} days`,
  },
};
