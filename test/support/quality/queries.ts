// Sixty queries in the words of the documents, each with all that it finds, by name and in no order. `first` is the hit
// that stands first, where that can be said beforehand.

export interface WordQuery {
  readonly q: string;
  readonly finds: readonly string[];
  readonly first?: string;
  /** What is suggested where nothing is found. */
  readonly suggests?: string;
}

type Line = readonly [q: string, finds: string, more?: Pick<WordQuery, 'first' | 'suggests'>];

const lines: readonly Line[] = [
  // Words, all of them, wherever they stand.
  ['levain', 'levain-weak'],
  ['gannet', 'gannet-title gannet-text gannet-colony', { first: 'gannet-title' }],
  ['Brenzach ferry', 'ferry-brenzach'],
  ['tide table tarnwick', 'weekly-old weekly-mid weekly-new', { first: 'weekly-new' }],
  [
    'lynx photographed',
    'wildlife-news-8 wildlife-news-17 wildlife-news-22 wildlife-news-28 wildlife-news-34 wildlife-news-36 wildlife-news-42 wildlife-news-44 wildlife-news-56 wildlife-news-58',
  ],
  [
    'sheep',
    'wolves-return solar-parks-6 solar-parks-14 solar-parks-23 solar-parks-24 solar-parks-28 solar-parks-30 solar-parks-33 solar-parks-41 solar-parks-49 solar-parks-53',
  ],
  // Case, accents, apostrophes, hyphens, numbers, code.
  ['VARROA Mite', 'varroa-hive'],
  ['naif', 'naif-douanier'],
  ['crêpes', 'cinema-foret crepe-stand'],
  ['straßenbahn', 'straszenbahn'],
  ["O'Connell", 'crepe-stand'],
  ['whip-and-tongue', 'grafting'],
  ['32,768', 'quartz'],
  ['autovacuum_vacuum_scale_factor', 'pg-vacuum'],
  ['"import std"', 'cpp-modules'],
  ['0-RTT', 'tls-handshake'],
  ['l’œuf', 'oeuf-coeur'],
  // Phrases.
  ['"dining car"', 'dining-car'],
  ['"borrow checker"', 'uaf-rust borrow-fight', { first: 'borrow-fight' }],
  ['"black holes"', 'pulsar-clock'],
  // Left out, or either.
  ['espresso OR moka', 'espresso-grind moka-pot'],
  ['bread -valleys rye starch', 'rye-scald'],
  ['"heat pump" OR photovoltaics OR cellulose', 'heatpump-old solar-payback insulation-attic'],
  ['zostera -maps', 'marsh-survey'],
  // Beginnings.
  ['bathym*', 'tarn-typo'],
  ['chronom* OR sextan*', 'longitude-clock sextant'],
  // In titles alone.
  ['in:title heap', 'compost-heap'],
  ['in:title gannet', 'gannet-title'],
  // Filters, alone and with words, and their opposites.
  ['tag:fermentation', 'kimchi-jar sauerkraut-salt miso-year vinegar-mother'],
  ['tag:"long reads" -tag:trains site:kerb.example', 'coop-housing night-bus-driver'],
  ['tag:c++', 'cpp-modules'],
  ['site:instruments.example -tag:history', 'quartz seismograph being-wrong'],
  ['author:"ruth okafor" -author:nobody', 'longitude-clock sextant quartz tontine'],
  ['feed:crumb cider', 'onion-soup vinegar-mother'],
  ['feed:"letter from plot" -feed:crumb barn', 'owl-box-kept'],
  ['kind:annotation geese', 'marsh-survey-quote'],
  ['kind:raindrop', 'marsh-survey gannet-text crate-wine'],
  ['-kind:item gannet', 'gannet-colony'],
  ['lang:de -lang:de-at nach', 'gruenkohl rueckenschmerz straszenbahn'],
  ['lang:de-AT', 'kuendigung'],
  ['lang:fr -lang:en cœur', 'oeuf-coeur'],
  ['headline kind:deframed -tag:housing', 'bakery-shock chip-war coffee-heart cyclist-rage insect-count'],
  ['fsync race -is:unread', 'changelog-1'],
  ['kind:feed railways OR railway', 'platform-nine allotment-letter valley-courier'],
  ['gannet -site:harbourpost.example -before:2026', 'gannet-text'],
  ['is:unread mirrorfs', 'changelog-2 changelog-3'],
  ['gannet -is:archived', 'gannet-text gannet-colony'],
  ['tarnwick table after:2023 before:2026 -after:2024', 'weekly-mid'],
  ['tarnwick after:7d', 'weekly-new'],
  // Other scripts.
  ['图书馆', 'tushuguan'],
  ['古書店', 'toukyou-tosho'],
  ['김치', 'kimjang'],
  ['самовар', 'chai-samovar'],
  ['λιμάνι χειμώνα', 'limani'],
  ['ΕΛΙΈΣ', 'elies'],
  ['ISTANBUL', 'istanbul-vapur'],
  // One page, and a slip of the pen.
  ['algae quarry', 'quarry-lake'],
  ['barn owl perch', 'owl-box-kept'],
  ['kind:entry barn owl', 'owl-box-entry'],
  ['bathymetrie', '', { suggests: 'bathymetry' }],
];

export const queries: readonly WordQuery[] = lines.map(([q, finds, more]) => ({
  q,
  finds: finds.split(' ').filter(Boolean),
  ...more,
}));
