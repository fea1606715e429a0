import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../test/support/depth.ts';
import { lostFrom } from './keep-facts.ts';
import { neutralDescription } from './neutral-description.ts';
import { neutralTitle } from './neutral-title.ts';
import { wordsIn } from './words.ts';

describe('a title is set anew', () => {
  it.each<[original: string, corrected: string]>([
    // What stands before it.
    [
      'BREAKING: Parliament passes budget after 14-hour debate',
      'Parliament passes budget after 14-hour debate',
    ],
    ['Breaking News: Ferry runs aground off Skye', 'Ferry runs aground off Skye'],
    ['WATCH: Otter steals surfboard in Santa Cruz', 'Otter steals surfboard in Santa Cruz'],
    ['[EXCLUSIVE] Leaked memo names three banks', 'Leaked memo names three banks'],
    ['OMG, Lena Vogt wins a second Tony', 'Lena Vogt wins a second Tony'],
    ['🚨🚨 Bridge closed in Porto', 'Bridge closed in Porto'],
    ['Just in: Volvo recalls 30,000 cars!', 'Volvo recalls 30,000 cars'],
    // How it begins.
    [
      "You won't believe what happened when Maria Alvarez opened her garage",
      'Maria Alvarez opened her garage',
    ],
    ['You’ll never guess who bought the lighthouse at Rubha', 'Who bought the lighthouse at Rubha'],
    ["You Won't Believe How Much This Stamp Costs", 'How Much This Stamp Costs'],
    ["Here's Why Your Phone Battery Dies In The Cold", 'Why Your Phone Battery Dies In The Cold'],
    ['This is how Norway taxes electric cars', 'How Norway taxes electric cars'],
    ['Here are 12 ways to cook a leek', '12 ways to cook a leek'],
    ['These 9 Villages In Wales Have No Mobile Signal', '9 Villages In Wales Have No Mobile Signal'],
    ['Check out these 5 maps of Roman roads', '5 maps of Roman roads'],
    ['It turns out that eels cross the whole Atlantic', 'Eels cross the whole Atlantic'],
    ['Meet The Baker Who Feeds Half Of Lyon', 'The Baker Who Feeds Half Of Lyon'],
    ['The real reason trams came back to Nice', 'Why trams came back to Nice'],
    // Whom it does not name.
    ['This Man Walked From Oslo To Rome', 'A Man Walked From Oslo To Rome'],
    ['This Artist Paints With Rust', 'An Artist Paints With Rust'],
    ['This 80-Year-Old Swims To Work', 'An 80-Year-Old Swims To Work'],
    ['This Girl Can campaign returns to schools', 'This Girl Can campaign returns to schools'],
    // How it ends.
    ['21 Photos Of Harbours That Will Blow Your Mind', '21 Photos Of Harbours'],
    ['He Put Salt In His Gas Tank... What Happened Next Will Shock You', 'He Put Salt In His Gas Tank'],
    ["A Goat Joined The Marathon And It's Hilarious", 'A Goat Joined The Marathon'],
    ['Council bans leaf blowers – and the reason will surprise you', 'Council bans leaf blowers'],
    ["Rents in Dublin fell in May. Here's why", 'Rents in Dublin fell in May'],
    ["Fans rebuilt the Millennium Falcon and we can't even", 'Fans rebuilt the Millennium Falcon'],
    ['14 Stories About Lost Dogs Guaranteed To Make You Cry', '14 Stories About Lost Dogs'],
    ['This Choir Of Nuns Will Give You Goosebumps', 'This Choir Of Nuns'],
    ['27 Science Fair Projects You Need To See', '27 Science Fair Projects'],
    ['Which of these songs you need to hear today', 'Which of these songs you need to hear today'],
    ['Why this diet will change your life', 'Why this diet will change your life'],
    // What it says instead of saying.
    ['Minister slams Brussels over fishing quotas', 'Minister criticises Brussels over fishing quotas'],
    ['Critics slam new harbour plan', 'Critics criticise new harbour plan'],
    ['Coach slammed over late substitution', 'Coach criticised over late substitution'],
    [
      'Senator Ortiz blasts the Pentagon over drone contract',
      'Senator Ortiz criticises the Pentagon over drone contract',
    ],
    ['Author lashes out at publisher in Turin', 'Author criticises publisher in Turin'],
    ['Chef claps back at critics', 'Chef responds to critics'],
    ['Oil prices soar to 120 dollars a barrel', 'Oil prices rise to 120 dollars a barrel'],
    ['Nickel prices plummet', 'Nickel prices fall sharply'],
    // What it puffs up with.
    ['Stunning images of Saturn released by ESA', 'Images of Saturn released by ESA'],
    ['An incredible story of two sisters from Graz', 'A story of two sisters from Graz'],
    ['The shocking truth about sunscreen', 'The truth about sunscreen'],
    ['Man brutally murdered in Ghent', 'Man murdered in Ghent'],
    ['19 Hilarious Signs Seen In Airports', '19 Signs Seen In Airports'],
    // How loud it is.
    [
      'STUNNING defeat for Labour in Hartlepool by-election!!!',
      'Defeat for Labour in Hartlepool by-election',
    ],
    ['Dam fails!!! Thousands flee Derna', 'Dam fails. Thousands flee Derna'],
    ['Is this REALLY the oldest oak in Kent?!?', 'Is this really the oldest oak in Kent?'],
    ['TRUMP SLAMS NATO OVER DEFENCE SPENDING', 'Trump criticises NATO over defence spending'],
    ['The ferry that never came...', 'The ferry that never came'],
  ])('%s', (original, corrected) => {
    expect(neutralTitle(original).text).toBe(corrected);
  });

  it.each([
    'Central bank raises interest rates to 4.5%',
    'NASA delays Artemis launch to 2028',
    'Twin blasts kill 9 in Quetta market',
    'Guilty verdict in 1993 Mumbai blasts case',
    'Grand Slams are getting longer, says Nadal',
    'Hurricane Nora slams Gulf coast',
    'Lorry slams into bakery in Metz',
    'Bird soars above the Alps',
    'The Incredible Hulk returns to cinemas in May',
    'The Amazing Spider-Man 3 Gets A New Trailer',
    'Panic! At The Disco announce farewell tour',
    'Verizon sells Yahoo!',
    '"You won\'t believe it": widow of Karl Brandt speaks',
    'Mayor calls "shocking" report on 3 schools "a disaster"',
    'The view was stunning and cheap',
    'Officers fired after shocking children with stun guns',
    'Kane is an incredible player, says Kompany',
    'An incredible 40 goals in one season',
    'Everything you need to know',
    '27 Chairs You Need To See',
    '17 Weird, Hilarious Things About Trams',
    'This Cattle Farm Runs On Wind',
    'Here’s why',
    'WHO warns of cholera in the US',
    'PRIDE and ONCE merge their leagues',
  ])('but not %s', (title) => {
    expect(neutralTitle(title)).toEqual({ text: title, notes: [] });
  });

  it.each<[original: string, corrected: string, language: string]>([
    ['EILMELDUNG: Bahn stellt Verkehr in Bayern ein!!!', 'Bahn stellt Verkehr in Bayern ein', 'de'],
    ['Amazing: warum alle „Here is why“ sagen', 'Amazing: warum alle „Here is why“ sagen', 'de'],
    ['Bundestag beschließt Haushalt für 2027', 'Bundestag beschließt Haushalt für 2027', 'de'],
    ['URGENT : incendie à la gare de Lyon !', 'Incendie à la gare de Lyon', 'fr'],
    ['Le Sénat adopte la réforme des retraites', 'Le Sénat adopte la réforme des retraites', 'fr'],
    ['¡España gana el Mundial!', 'España gana el Mundial', 'es'],
    ['東京で地震、けが人なし', '東京で地震、けが人なし', 'ja'],
    ['قمة المناخ تبدأ في دبي', 'قمة المناخ تبدأ في دبي', 'ar'],
  ])('%s, in its language', (original, corrected, language) => {
    expect(neutralTitle(original, language).text).toBe(corrected);
  });

  it('and a rule that would lose a name leaves the others their work', () => {
    expect(neutralTitle("Minister slams fishing plan in Brussels and You Won't Believe Why").text).toBe(
      "Minister criticises fishing plan in Brussels and You Won't Believe Why",
    );
  });

  it('and says what was done', () => {
    expect(neutralTitle("You won't believe how Ryanair slams the EU!").notes).toEqual([
      'removed: marks that shout',
      "removed: “You won't believe”",
      '“slams” → “criticises”',
    ]);
  });
});

describe('what a title may not lose', () => {
  it.each<[original: string, result: string, lost: string[]]>([
    ['17 dead in Lagos fire', 'Dead in Lagos fire', ['17']],
    ['Trump meets Xi in Busan', 'Trump meets in Busan', ['Xi']],
    ['Police find 3 boats and 3 cars', 'Police find 3 boats and cars', ['3']],
    ['Actor calls film "amazing" again', 'Actor calls film again', ['"amazing"']],
    ['Fans of the Amazing Kreskin gather', 'Fans of the Kreskin gather', ['Amazing']],
    ['Ship sinks off Malta', 'Ship off Malta', ['sinks']],
    ['An amazing day in Malta', 'A day in Malta', []],
  ])('%s / %s', (original, result, lost) => {
    expect(lostFrom(original, result)).toEqual(lost);
  });
});

const names = [
  'Angela Merkel',
  'NATO',
  'Łódź',
  'O’Brien',
  'São Paulo',
  'المغرب',
  '東京',
  'McDonald',
  'iPhone',
  'Will Smith',
];
const openings = [
  '',
  'BREAKING: ',
  "You won't believe what happened when ",
  "Here's why ",
  'These ',
  'This man: ',
  '😱 ',
  'Watch the ',
];
const middles = [
  'slams',
  'blasts',
  'is an amazing',
  'SHOCKING',
  'absolutely',
  'soars',
  'meets',
  '"You will cry"',
  '!!!',
  '\u0000',
  '\u202e',
  '\ud800',
];
const endings = [
  '',
  ' and it’s hilarious',
  '... What happened next will shock you',
  '!!!',
  ' that will blow your mind',
  "; here's why",
  ' 🔥',
];
const headline = fc
  .record({
    opening: fc.constantFrom(...openings),
    parts: fc.array(
      fc.oneof(
        fc.constantFrom(...names),
        fc.constantFrom(...middles),
        fc.nat(99_999).map(String),
        fc.string({ unit: 'grapheme', maxLength: 8 }),
        fc.constantFrom('price', 'of', 'a', 'the', 'dog', 'report', 'and', 'über'),
      ),
      { maxLength: 9 },
    ),
    ending: fc.constantFrom(...endings),
  })
  .map(({ opening, parts, ending }) => `${opening}${parts.join(' ')}${ending}`);

describe('whatever the title', () => {
  it('keeps its numbers and names', () => {
    fc.assert(
      fc.property(headline, (title) => {
        const { text } = neutralTitle(title);
        const numbers = (some: string) => (some.match(/\d+/g) ?? []).sort();
        expect(numbers(text)).toEqual(numbers(title));
        for (const name of names)
          if (title.includes(name)) expect(text.toLowerCase()).toContain(name.toLowerCase());
      }),
      propertyRuns(1500),
    );
  });

  it('says the same of what it has set anew', () => {
    fc.assert(
      fc.property(headline, fc.constantFrom('en', 'de', ''), (title, language) => {
        const { text } = neutralTitle(title, language);
        expect(neutralTitle(text, language)).toEqual({ text, notes: [] });
      }),
      propertyRuns(1500),
    );
  });

  it('grows by no more than its synonyms', () => {
    fc.assert(
      fc.property(headline, (title) => {
        expect(neutralTitle(title).text.length).toBeLessThanOrEqual(title.length + 8 * wordsIn(title).length);
        expect(neutralTitle(title)).toEqual(neutralTitle(title));
      }),
    );
  });

  it('is done soon, however long it is and whatever it repeats', () => {
    const parts = [
      'a',
      '"',
      '!',
      '. ',
      '...',
      'You won’t believe ',
      'and it’s ',
      'THIS ',
      '(',
      "'",
      '-',
      '\t',
      'really ',
    ];
    for (const part of parts) {
      for (const length of [290, 10_000, 200_000]) {
        const title = part.repeat(Math.ceil(length / part.length));
        // What a pattern can read in two ways takes years, and never gets here.
        expect(neutralTitle(title).text.length).toBeLessThanOrEqual(title.length + 1);
        expect(neutralDescription(title).text.length).toBeLessThanOrEqual(title.length + 1);
      }
    }
  });
});

describe('a description is set anew', () => {
  it.each<[original: string, corrected: string]>([
    ['', ''],
    ['A short one.', 'A short one.'],
    [
      'In a stunning study, scientists in Porto found that octopuses dream.',
      'In a study, scientists in Porto found that octopuses dream.',
    ],
    [
      `The first sentence is about the harbour of Ghent. ${'It goes on and on about ships '.repeat(8)}.`,
      'The first sentence is about the harbour of Ghent.',
    ],
    [`${'word '.repeat(40)}end`, `${'word '.repeat(30).trim()}…`],
  ])('%s', (original, corrected) => {
    expect(neutralDescription(original).text).toBe(corrected);
  });

  it('in about thirty words at most, and whole ones', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (parts) => {
        const { text } = neutralDescription(parts.join(' '));
        expect(text.split(' ').length).toBeLessThanOrEqual(30);
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });
});
