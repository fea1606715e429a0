import type { Words } from '../../lib/words.ts';

export const common: Pick<
  Words,
  'places' | 'actions' | 'charts' | 'errors' | 'time' | 'connection' | 'themes' | 'similar'
> = {
  places: {
    read: 'Lesen',
    library: 'Bibliothek',
    highlights: 'Markierungen',
    search: 'Suche',
    operations: 'Betrieb',
    mirror: 'Spiegel',
    deframer: 'Deframer',
    settings: 'Einstellungen',
    label: 'Orte',
  },
  actions: {
    cancel: 'Abbrechen',
    close: 'Schließen',
    save: 'Speichern',
    remove: 'Entfernen',
    undo: 'Rückgängig',
    retry: 'Noch einmal',
    back: 'Zurück',
    more: 'Mehr',
    copy: 'Kopieren',
    copied: 'Kopiert.',
    logOut: 'Abmelden',
    skipToContent: 'Zum Inhalt springen',
  },
  errors: {
    offline: 'Lectern ist nicht zu erreichen. Es ging nichts verloren; versuch es gleich noch einmal.',
    server: 'Das konnte Lectern nicht tun. Es ging nichts verloren; versuch es gleich noch einmal.',
    tooMany: (minutes) =>
      `Zu viele Versuche. Versuch es in ${minutes} ${minutes === 1 ? 'Minute' : 'Minuten'} wieder.`,
    notSaved: 'Das wurde nicht gespeichert.',
  },
  time: {
    now: 'jetzt',
    minutes: (n) => `${n} Min.`,
    hours: (n) => `${n} Std.`,
    yesterday: 'gestern',
    days: (n) => `${n} Tage`,
    soon: 'gleich',
    inMinutes: (n) => `in ${n} Min.`,
    inHours: (n) => `in ${n} Std.`,
    inDays: (n) => (n === 1 ? 'morgen' : `in ${n} Tagen`),
  },
  connection: {
    offline: 'Offline. Du siehst, was dieser Browser behalten hat.',
    offlineWaiting: (n) =>
      n === 1
        ? 'Offline. Eine Änderung wartet und wird später gesendet.'
        : `Offline. ${n} Änderungen warten und werden später gesendet.`,
    waiting: (n) => (n === 1 ? 'Eine Änderung ist noch unterwegs.' : `${n} Änderungen sind noch unterwegs.`),
  },
  similar: { title: 'Ähnliches', byWords: 'nach Wörtern des Titels', highlight: 'Markierung' },
  themes: { system: 'System', light: 'Hell', dark: 'Dunkel', sepia: 'Sepia' },
  charts: {
    today: 'Heute',
    day: 'Tag',
    asTable: 'Als Tabelle',
    summary: (what, total, days) => `${what}: ${total} in ${days} Tagen`,
  },
};
