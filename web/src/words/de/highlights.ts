import type { HighlightsWords } from '../../highlights/page-words.ts';

const number = (n: number) => n.toLocaleString('de');
const plural = (n: number, one: string, many: string) => `${number(n)} ${n === 1 ? one : many}`;

export const highlights: HighlightsWords = {
  lead: 'Was du markiert hast, wo auch immer du es gelesen hast.',
  views: { label: 'Ansichten', all: 'Alle', deleted: 'Gelöscht', sources: 'Quellen' },
  types: { website: 'Seite', pdf: 'PDF', book: 'Buch' },
  notes: { label: 'Notizen zu dieser Seite' },
  untitled: 'Ohne Titel',
  original: (host) => `Original bei ${host}`,
  more: 'Mehr zeigen',
  loaded: (n, hasMore) =>
    hasMore ? `Die ersten ${number(n)} Markierungen.` : `${plural(n, 'Markierung', 'Markierungen')}.`,
  row: {
    more: 'Mehr zu dieser Markierung',
    makeColour: (colour) => `In ${colour}`,
    onlyPage: 'Nur diese Seite',
    inStep: (source) => `Wird mit ${source} abgeglichen`,
  },
  filters: {
    label: 'Filter',
    show: 'Die Liste eingrenzen',
    source: 'Quelle',
    anySource: 'Alle Quellen',
    colour: 'Farbe',
    anyColour: 'Alle Farben',
    noColour: 'ohne Farbe',
    from: 'Von',
    to: 'Bis',
    thisPage: 'Diese Seite',
    allPages: (title) => `Ohne den Filter ${title}`,
    clear: 'Filter entfernen',
  },
  deleted: {
    lead: 'Hier gelöscht, oder bei ihrer Quelle nicht mehr da. Beim Wiederherstellen entsteht eine Kopie, die kein Abgleich löscht.',
    none: 'Nichts wurde gelöscht',
    noneHint:
      'Was du hier löschst und was bei einer Quelle verschwindet, wartet hier, falls du es dir anders überlegst.',
    when: (age) => `gelöscht: ${age}`,
    restore: 'Wiederherstellen',
    restored: 'Wiederhergestellt.',
    show: 'Zeigen',
  },
  empty: {
    title: 'Noch nichts markiert',
    text: 'Wähle in einem Text, den du hier liest, eine Stelle aus und dann eine Farbe, oder drücke h. Was du anderswo markiert hast, kann auch hierher kommen.',
    library: 'Zur Bibliothek',
    bring: 'Markierungen herholen',
    noMatch: 'Zu diesen Filtern passt keine Markierung',
  },
  sources: {
    kinds: {
      light: 'Light',
      research: 'Research',
      kindle: 'Kindle',
      readwise: 'Readwise',
      hypothesis: 'Hypothesis',
      koreader: 'KOReader',
    },
    counts: (created, updated, deleted, unchanged) =>
      [
        created > 0 && `${number(created)} neu`,
        updated > 0 && `${number(updated)} geändert`,
        deleted > 0 && `${number(deleted)} gelöscht`,
        unchanged > 0 && `${number(unchanged)} unverändert`,
      ]
        .filter(Boolean)
        .join(', ') || 'nichts darin',
    changed: ({ created, updated, deleted }) =>
      created + updated + deleted === 0
        ? 'Abgeglichen: Nichts hat sich geändert.'
        : `Abgeglichen: ${number(created)} neu, ${number(updated)} geändert, ${number(deleted)} gelöscht.`,
    state: {
      title: 'Woher sie kommen',
      none: 'Noch keine Quelle. Was du in Lectern markierst, braucht keine.',
      last: (age) => `letzter Abgleich: ${age}`,
      never: 'noch nicht abgeglichen',
      failed: (age) => `Der letzte Versuch ist misslungen${age ? ` (${age})` : ''}:`,
      nothingLost: 'Hier wurde nichts geändert.',
      show: 'Zeigen',
    },
    light: {
      title: 'Light',
      lead: 'Die Browser-Erweiterung sendet alle ihre Markierungen; was sie nicht mehr hat, wird hier gelöscht und lässt sich wiederherstellen.',
      address: 'Adresse',
      addressHint: 'In den Einstellungen der Erweiterung.',
      token: 'Token',
      tokenHint: 'Mit dem Recht zu schreiben. Es steht neben der Adresse.',
      makeToken: 'Token erstellen',
    },
    research: {
      title: 'Research',
      lead: 'Seine Datenbank auf dem Rechner dieses Lectern wird gelesen, und nie beschrieben.',
      path: 'Pfad der Datei',
      pathHint: 'Der ganze Pfad, von der Wurzel an.',
      saved: 'Gespeichert.',
      sync: 'Jetzt abgleichen',
    },
    import: {
      title: 'Eine Datei einlesen',
      lead: 'Du siehst, was eine Datei bringen würde, bevor sich etwas ändert. Was du hier gelöscht hast, kommt nicht zurück.',
      from: 'Von',
      kinds: { kindle: 'Kindle', readwise: 'Readwise', hypothesis: 'Hypothesis', koreader: 'KOReader' },
      hints: {
        kindle: 'My Clippings.txt, aus dem Ordner „documents“ des Kindle.',
        readwise: 'Die CSV-Datei, die Readwise ausgibt.',
        hypothesis: 'Die JSON-Datei, die Hypothesis ausgibt.',
        koreader: 'Die JSON-Datei seines Exports, oder metadata.*.lua neben einem Buch.',
      },
      choose: 'Datei wählen',
      tooLarge: 'Die Datei ist größer als 64 MB. Es wurde nichts eingelesen.',
      looking: 'Die Datei wird angesehen',
      fresh: (n, pages) =>
        `${plural(n, 'neue Markierung', 'neue Markierungen')}${pages > 0 ? ` in ${plural(pages, 'neuen Buch oder Seite', 'neuen Büchern oder Seiten')}` : ''}`,
      notes: (n) => plural(n, 'neue Notiz', 'neue Notizen'),
      updated: (n) => `${number(n)} geändert`,
      unchanged: (n) => `${number(n)} schon da`,
      leftOut: (n) => `${number(n)} ausgelassen, weil du sie hier gelöscht hast`,
      skipped: (n) =>
        `${plural(n, 'Eintrag, der', 'Einträge, die')} nicht zu lesen ${n === 1 ? 'ist' : 'sind'}`,
      nothing: 'Es ist nichts Neues darin.',
      run: 'Einlesen',
      importing: 'Wird eingelesen',
      done: (created, updated) => `Eingelesen: ${number(created)} neu, ${number(updated)} geändert.`,
    },
    export: {
      title: 'Ausgeben',
      lead: 'Alle deine Markierungen und Notizen, als eigene Datei.',
      markdown: 'Markdown',
      json: 'JSON',
      w3c: 'W3C-Annotationen',
    },
  },
};
