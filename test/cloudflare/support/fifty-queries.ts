// Fifty questions to the read API, about what raindrop-samples.ts fills an account with.

const words = ['garden', 'harbours', 'WATER', 'machines letters', 'Flüssen', 'Österreich', 'recipes'];
const withoutMarks = ['bucher', 'uber gross', 'garten apfel', 'SCHONE', 'Strassen', 'straßen'];
const unfinished = ['harb', 'mach mount', 'mach* mount', 'Brück', 'typesc', 'exam', 'zeit'];
const phrases = [
  '"paper maps"',
  '"old harbours where"',
  '"maps paper old"',
  '"große Gärten',
  '"slow food"',
  '"to read"',
];
const otherScripts = ['図書館', '東京', '静かな', 'カメラ', '我们', '图书馆', 'データ', '本', '朝に'];
const leftOut = [
  'garden -water',
  'Bücher -Straßen -"am Morgen"',
  '-garden',
  '-garden -die -本',
  'example -zeitung',
];
const nothing = ['zyzzyva', 'garden zyzzyva', '"harbours old"', 'petrichor', '-', '*"(', ''];

export const fiftyQueries: readonly Record<string, string>[] = [
  ...[words, withoutMarks, unfinished, phrases, otherScripts, leftOut, nothing].flat().map((q) => ({ q })),
  { tag: 'Übersicht' },
  { tag: 'データ', q: 'garden' },
  { domain: 'zeitung.example.de', q: 'die' },
];
