// News put together from banks of sentences. The same banks make the same documents, on every machine.
import type { DocBlock } from './documents.ts';

interface Bank {
  readonly topic: string;
  readonly site: string;
  readonly facts: readonly string[];
  /** A title and the first sentence that goes with it. */
  readonly openings: readonly (readonly [title: string, first: string])[];
  readonly middles: readonly string[];
  readonly ends: readonly string[];
}

const places =
  `Aldmoor Brenzach Tarnwick Ostervik Lindhaven Graufels Penrosk Sankt-Veltin Dunmarsh Kessenau Haverholm Mirabec
  Torvald Ilmenbrück Querness Felsach Wendlow Karspitz Noorden Eschbach Rivoly Stolzen Ambry Vellmere`.split(
    /\s+/,
  );
const people = [
  ...[
    'Anna Kessler',
    'Jan Holt',
    'Mireille Dufay',
    'Olu Bankole',
    'Petra Lindgren',
    'Sam Whitlow',
    'Carla Monti',
  ],
  ...['Dieter Aumann', 'Fatima Zahrani', 'Liam Corrigan', 'Yuki Tanabe', 'Marek Dvorsky', 'Greta Solheim'],
  ...['Pablo Irigoyen', 'Hatice Kaplan', 'Bjarne Falk', 'Ottilie Brandl', 'Rhys Penhallow', 'Zofia Wrona'],
];
const months = 'January February March April May June July August September October November December'.split(
  ' ',
);
const days = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
const brands = 'Norvo Halcyon Pixelbau Tandem Lumeo Corvid Ostrava Brightwell Kestrel Omnia'.split(' ');
const tools = 'quillbase tarsier pgferry rookdb lintwerk mosscache fastpipe gantry hedgerow nightjar'.split(
  ' ',
);

/** Most of what a person has are entries. */
const kinds = [
  ...Array<string>(12).fill('entry'),
  ...['item', 'item', 'item', 'bookmark', 'annotation', 'deframed', 'note', 'entry'],
];

export function composeDocuments(banks: string, count: number): DocBlock[] {
  const topics = readBanks(banks);
  return topics.flatMap((bank, at) => {
    const size = Math.floor(count / topics.length) + (at < count % topics.length ? 1 : 0);
    const draw = drawing(at + 1);
    return Array.from({ length: size }, (_, n) => composeOne(bank, n, draw));
  });
}

function composeOne(bank: Bank, n: number, draw: Draw): DocBlock {
  const kind = kinds[(n * 7) % kinds.length] as string;
  const scene = {
    place: draw.of(places),
    town: draw.of(places),
    person: draw.of(people),
    month: draw.of(months),
    brand: draw.of(brands),
    tool: draw.of(tools),
    v: `${1 + draw.below(9)}.${draw.below(20)}`,
  };
  const [title, first] = draw.of(bank.openings);
  const figures = () => ({
    n: 2 + draw.below(58),
    big: 100 + draw.below(880),
    year: 1880 + draw.below(120),
    day: draw.of(days),
  });
  const opening = { ...scene, ...figures() };
  const date = new Date(Date.UTC(2019, 0, 1 + draw.below(2_620))).toISOString().slice(0, 10);
  const facts = [
    ...(kind === 'note' || kind === 'annotation'
      ? bank.facts.filter((fact) => fact.startsWith('#'))
      : bank.facts),
    ...(draw.below(4) === 0 ? [`by=${draw.of(people).replace(' ', '_')}`] : []),
    ...(kind === 'entry' && draw.below(3) === 0 ? ['unread'] : []),
    ...(kind === 'bookmark' ? ['is=bookmarked'] : []),
    ...(kind === 'item' && draw.below(2) === 0 ? ['is=archived'] : []),
  ];
  return {
    facts: [kind, `${bank.topic}-${n + 1}`, date, bank.site, ...facts].join(' '),
    title: fill(title, opening),
    text: [
      fill(first, opening),
      fill(draw.of(bank.middles), { ...scene, ...figures() }),
      fill(draw.of(bank.ends), { ...scene, ...figures() }),
    ].join(' '),
  };
}

function fill(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}

function readBanks(text: string): Bank[] {
  return text
    .split(/^== /m)
    .slice(1)
    .map((section) => {
      const [head = '', ...lines] = section.trim().split('\n');
      const [topic = '', site = '', ...facts] = head.split(' ');
      const of = (sign: string) =>
        lines.filter((line) => line.startsWith(`${sign} `)).map((line) => line.slice(2));
      const firsts = of('A');
      return {
        topic,
        site,
        facts,
        openings: of('T').map((title, n) => [title, firsts[n] ?? ''] as const),
        middles: of('B'),
        ends: of('C'),
      };
    });
}

interface Draw {
  below(end: number): number;
  of<T>(all: readonly T[]): T;
}

/** Numbers that look like chance and are the same each time. */
function drawing(seed: number): Draw {
  let state = seed * 7_919;
  const below = (end: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The low bits repeat soon.
    return Math.floor((state / 2 ** 32) * end);
  };
  return { below, of: (all) => all[below(all.length)] as (typeof all)[number] };
}
