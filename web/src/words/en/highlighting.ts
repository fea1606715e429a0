const plural = (n: number, one: string, many: string) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** What is said about highlights while one reads. */
export const highlighting = {
  toolbar: 'Highlight the selection',
  colours: { yellow: 'yellow', green: 'green', blue: 'blue', pink: 'pink', purple: 'purple' },
  inColour: (colour: string) => `Highlight in ${colour}`,
  withNote: 'Highlight with a note',
  copy: 'Copy the text',
  colour: 'Colour',
  selectFirst: 'Select some text first.',
  made: 'Highlighted. Press h again for its note and colour.',
  removed: 'Highlight removed.',
  label: 'Highlight',
  remove: 'Remove the highlight',
  inStep: (source: string) => `Kept in step with ${source}. Change it there.`,
  notes: 'Notes',
  addNote: 'Add a note',
  editNote: 'Edit the note',
  removeNote: 'Delete the note',
  noteRemoved: 'Note deleted.',
  noteLabel: 'Note',
  notePlaceholder: 'What did you think?',
  here: (n: number) => plural(n, 'highlight on this page', 'highlights on this page'),
  orphans: (n: number) =>
    plural(n, 'highlight whose passage was not found here', 'highlights whose passage was not found here'),
  orphansHint: 'The text has changed since. Nothing is lost: they stay, and are tried again with every copy.',
  failed: 'The highlights of this page could not be loaded.',
  sources: { lectern: 'Lectern', restored: 'Restored' },
};
