import type { HighlightingWords } from '../../highlights/words.ts';

const plural = (n: number, one: string, many: string) => `${n.toLocaleString('de')} ${n === 1 ? one : many}`;

export const highlighting: HighlightingWords = {
  toolbar: 'Die Auswahl markieren',
  colours: { yellow: 'Gelb', green: 'Grün', blue: 'Blau', pink: 'Rosa', purple: 'Violett' },
  inColour: (colour) => `Markieren in ${colour}`,
  withNote: 'Markieren, mit Notiz',
  copy: 'Den Text kopieren',
  colour: 'Farbe',
  selectFirst: 'Wähle zuerst etwas Text aus.',
  made: 'Markiert. Noch einmal h für Notiz und Farbe.',
  removed: 'Markierung entfernt.',
  label: 'Markierung',
  remove: 'Die Markierung entfernen',
  inStep: (source) => `Wird mit ${source} abgeglichen. Ändere sie dort.`,
  notes: 'Notizen',
  addNote: 'Notiz hinzufügen',
  editNote: 'Die Notiz bearbeiten',
  removeNote: 'Die Notiz löschen',
  noteRemoved: 'Notiz gelöscht.',
  noteLabel: 'Notiz',
  notePlaceholder: 'Was hast du gedacht?',
  here: (n) => plural(n, 'Markierung auf dieser Seite', 'Markierungen auf dieser Seite'),
  orphans: (n) =>
    plural(
      n,
      'Markierung, deren Stelle hier nicht gefunden wurde',
      'Markierungen, deren Stelle hier nicht gefunden wurde',
    ),
  orphansHint:
    'Der Text hat sich seitdem geändert. Es geht nichts verloren: Sie bleiben, und mit jeder Kopie wird neu gesucht.',
  failed: 'Die Markierungen dieser Seite konnten nicht geladen werden.',
  sources: { lectern: 'Lectern', restored: 'Wiederhergestellt' },
};
