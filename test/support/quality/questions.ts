// Forty questions in other words than the documents that answer them. They were written before any was asked, and are not
// changed for what was found: see docs/decisions/0011-text-search.md.

export interface Question {
  readonly q: string;
  /** The names of the documents that answer it. */
  readonly answers: readonly string[];
}

const asked: readonly (readonly [q: string, answers: string])[] = [
  ['why does my loaf come out flat and heavy', 'levain-weak'],
  ['keeping a kitchen knife keen without ruining it', 'whetstone'],
  ['my morning brew is too bitter', 'espresso-grind'],
  ['turning food scraps into soil', 'compost-heap wormery'],
  ['why are honey-making insects dying', 'varroa-hive'],
  ['how do animals find their way on long journeys', 'robin-compass eel-journey'],
  ['is there life beyond our planet', 'phosphine-clouds europa-ocean'],
  ['junk circling the earth could hit satellites', 'debris-dodge'],
  ['what happens when a star dies', 'supernova-core'],
  ['what to do when I lie awake at night', 'insomnia-cbt'],
  ['do tablets harm the eyesight of kids', 'myopia-outdoors'],
  ['germs that antibiotics no longer kill', 'resistance-wards'],
  ['exercise for pensioners', 'strength-seventy'],
  ['is it cheaper to own a flat or to be a lodger', 'rent-mortgage'],
  ['putting money aside for a pension', 'pension-index'],
  ['how did sailors know how far east they were', 'longitude-clock'],
  ['protect my accounts if somebody steals my password', 'passkeys-plain second-factor breach-list'],
  ['how to rescue files from a dying drive', 'disk-clicks backup-321'],
  ['why is my website so slow to load', 'page-weight'],
  ['structure that makes looking up rows fast', 'btree-pages'],
  ['bugs caused by a pointer that is no longer valid', 'uaf-rust'],
  ['a quarter without cars', 'superblock'],
  ['travelling overnight by rail', 'sleeper-berlin sleeper-return'],
  ['fewer people ride the bus since the pandemic', 'ridership-slump'],
  ['learning the piano as a grown-up', 'piano-late'],
  ['looted art returned to the country it came from', 'bronzes-back'],
  ['computers that beat the best humans at board games', 'alphago-move chess-engine'],
  ['taking photos of the sky with a tripod', 'star-trails'],
  ['feeling lonely when working from home', 'remote-isolation'],
  ['a shorter working week', 'four-day'],
  ['too many appointments, no time to concentrate', 'deep-focus standup-late'],
  ['toddler refuses to eat vegetables', 'picky-eaters'],
  ['remembering foreign vocabulary for longer', 'spaced-cards'],
  ['river burst its banks after heavy rain', 'flood-valley flood-plain'],
  ['polar ice is disappearing', 'greenland-melt'],
  ['making electricity from sunshine at home', 'solar-payback balcony-panel'],
  ['warming an old building without gas', 'heatpump-old heatpump-noise'],
  ['why hoaxes spread on social networks', 'rumours-fast'],
  ['Warum schläft mein Baby nachts nicht durch?', 'einschlafen'],
  ['fixing jeans rather than throwing them away', 'mending-visible'],
];

export const questions: readonly Question[] = asked.map(([q, answers]) => ({
  q,
  answers: answers.split(' '),
}));
