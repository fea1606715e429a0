// What a neutral title goes without, and what it says instead. Every pattern here is made of words that are written out:
// what a pattern may swallow is then known beforehand, and no fact is among it. See keep-facts.ts.

/** A blank stands for white space, an apostrophe for either kind. */
function pattern(source: string, flags = 'iu'): RegExp {
  return new RegExp(source.replaceAll("'", "['’]").replaceAll(' ', '\\s'), flags);
}

const end = '[\\s.!?…]*$';
// Each mark in one way alone: with `...` beside `.`, a row of dots could be read in more ways than there is time.
const separator = '(?:\\s*[-–—,;:.…!?(][-–—,;:.…!?(\\s]*)';
const very =
  '(?:so |just |actually |absolutely |pretty |really |very |totally |kind of |literally |freaking |fucking |basically |completely |definitely |seriously |probably |instantly |truly |honestly |simply )*';
const wonder =
  '(?:hilarious|amazing|adorable|perfect|everything|beautiful|incredible|awesome|insane|glorious|magical|terrifying|shocking|heartbreaking|awkward|wonderful|brilliant|great|epic|cute|weird|fantastic|stunning|hysterical|gorgeous|delightful|intense|wild|crazy|unreal|horrifying|creepy|breathtaking|fabulous|flawless|delicious|inspiring|magnificent|priceless|unbelievable|mind-blowing|jaw-dropping|too much|too real|too good|the best|the cutest|the best thing ever|the cutest thing ever|pure gold|pure magic)';
const disbelief =
  "you(?: won't| will not| will never|'ll never| wouldn't| can't| cannot| never)(?: even| ever)? (?:believe|guess)";
const feeling =
  '(?:shock|amaze|surprise|stun|astound|astonish|delight|terrify|horrify|haunt|inspire|disgust|infuriate|enrage|destroy|ruin|kill|slay|blow|melt|break|warm|change|restore|make|leave|give|bring|move|crack|brighten|hit)';
const felt =
  '(?:you(?: right in the feels| away| up| speechless| in tears| in stitches| chills| goosebumps| all the feels| to the core| to tears| jealous| hungry| happy| feel old| feel better| feel things| feel something| (?:laugh|cry|smile|weep|sob|cringe|gasp|scream|think|lol|grin|happy cry|laugh and cry|laugh or cry|laugh or cringe|say wow|say what|say aww|believe in love)(?: out loud| so hard| really hard| hard| every time| with laughter| with joy| a little| inside| harder than you should| until you cry| till you cry| every damn time)?)?|your (?:mind|minds|heart|hearts|life|day|brain|faith in humanity|jaw|jaws|soul|perspective|world|childhood)(?: drop| forever| melt| explode| sing| ache| skip a beat| swell| right now| today| away)?|us speechless)';
const effect = `(?:will|'ll|is going to|are going to|is guaranteed to|are guaranteed to|guaranteed to|are sure to|is sure to) ${very}${feeling} ${felt}`;
const crowd = '(?:the internet|twitter|people|everyone|everybody|fans|we|i)';
const stirred =
  "(?:(?:is|are|'re|am|'m) (?:not okay|not ok|losing it|losing our minds|losing their minds|freaking out|freaking|obsessed|here for it|dying|crying|loving it|living for it|shook)|can't(?: even)?(?: deal| cope| handle it| stop laughing| stop watching)?|loves it|love it)";

/** What stands before the headline and is none of it. Of any language. */
export const labels: readonly RegExp[] = [
  pattern(
    '^[\\[(]?(?:breaking news|breaking|just in|exclusive|watch now|watch|must see|must watch|must read|must-see|must-read|must-watch|shocking|shock|wow|omg|urgent|revealed|bombshell|viral|psa|eilmeldung|eil|exklusiv|schock|unglaublich|alerte info|alerte|urgent|exclusif|última hora|urgente|exclusiva|exclusivo|schokkend|exclusief|laatste nieuws|seneste nyt|chok|eksklusivt)[\\])]?(?: ?[:!|]+|(?<=[\\])]))(?: |$)',
  ),
  pattern('^breaking ?[-–—]+ '),
  pattern('^(?:omg|wow|whoa|yikes|ouch|uh-oh|oh no|holy crap|holy shit|holy moly|holy cow)[!,:.… ]*[!,:.…] '),
];

/** What stands after it and is none of it. */
export const stamps: readonly RegExp[] = [
  pattern(
    ' ?[\\[(](?:video|watch|must see|must watch|must read|shocking|graphic|omg|wow|exclusive|viral)[!.]*[\\])]$',
  ),
];

/** How a headline begins that would rather be opened than say what there is, and what is left of that. */
export const openings: readonly (readonly [find: RegExp, instead: string])[] = [
  [pattern(`^(?:${disbelief}|here's|here is|this is|see|watch|guess) (?:exactly )?what happened when `), ''],
  [pattern(`^${disbelief} (?=(?:how|what|who|why|where|which|the|these|this)\\b)`), ''],
  [
    pattern(
      `^(?:and |so )?(?:here's|here is|here are) (?:exactly |actually |literally |precisely |just )?(?=(?:what|why|how|where|who|when|the|a|an|all|every|some|everything|\\d+|our|one|two|three|four|five|six|seven|eight|nine|ten)\\b)`,
    ),
    '',
  ],
  [
    pattern(
      "^(?:this is|that's) (?:exactly |actually |literally |precisely |just )?(?=(?:what|why|how|where)\\b)",
    ),
    '',
  ],
  [pattern('^these are (?=the\\b)'), ''],
  [pattern('^(?:see|watch|find out|learn|discover) (?:exactly )?(?=(?:how|what|why|where)\\b)'), ''],
  [pattern('^(?:watch|see|check out|meet|behold|take a look at|get a look at|look at) (?=the\\b)'), ''],
  [pattern('^check out (?=(?:these|this|what|how)\\b)'), ''],
  [pattern('^(?:it turns out that|it turns out|turns out that|turns out),? '), ''],
  [pattern('^these (?=\\d)'), ''],
  [pattern('^the real reason (?:why )?(?=\\S)'), 'Why '],
  [pattern('^the reason why (?=\\S)'), 'Why '],
];

/** `This man ...`: who it is comes only behind the link. */
export const forwardReference = pattern(
  "^this (?=(?:man|woman|guy|girl|boy|kid|dog|cat|puppy|kitten|couple|family|mom|mum|dad|mother|father|teacher|student|teen|teenager|photographer|artist|bride|groom|band|designer|comedian|singer|actor|actress|doctor|nurse|waiter|waitress|pilot|driver|chef|blogger|writer|author|cop|officer|player|coach|fan|farmer|soldier|veteran|engineer|scientist|bakery|bar|cafe|store|grandma|grandmother|grandpa|grandfather|baby|toddler|company|startup|town|village|city|restaurant|hotel|school|video|photo|picture|image|chart|map|app|website|woman's|man's|guy's|girl's|boy's|kid's|dog's|cat's|couple's|mom's|dad's|teacher's|student's|teen's|family's|photographer's|artist's|\\d+-year-old)(?![\\p{L}-]|')(?! work\\b| can\\b| is\\b| was\\b| might\\b| may\\b| will\\b| could\\b))",
);

/** How it ends that promises what it does not say. */
export const endings: readonly RegExp[] = [
  pattern(` (?:that|which) ${effect}${end}`),
  pattern(` (?:that'll|that) ${very}${feeling} ${felt}${end}`),
  pattern(` guaranteed to ${very}${feeling} ${felt}${end}`),
  pattern(
    `(?:${separator}| )(?:and |but )?(?:what happened|what happens|what he did|what she did|what they did|what came|what comes|what followed) next(?: (?:is|was|${effect}|${wonder})(?: ${very}${wonder})?)?\\)?${end}`,
  ),
  pattern(`(?:${separator}| )(?:and |but )${effect}${end}`),
  pattern(
    `(?:${separator}| )and (?:it|this|they|that|the result|the results|the photos|the pictures)(?:'s| is| was|'re| are| were) ${very}${wonder}\\)?${end}`,
  ),
  pattern(
    `(?:${separator}| )(?:and |but )?(?:the|his|her|their) (?:reason|reasons|reason why|result|results|answer|answers|outcome|ending|photos|pictures|reaction|reactions|internet) (?:(?:is|are|was|were) ${very}${wonder}|${effect})\\)?${end}`,
  ),
  pattern(
    `(?:${separator}| )and ${crowd}(?: ${stirred}|'re (?:obsessed|dying|crying|freaking out|here for it))\\)?${end}`,
  ),
  pattern(
    `(?:${separator}(?:and )?|${separator}?\\sand | )${disbelief}(?: it| why| how| what happened next| what happened| what happens next| the reason| the result| the ending| the answer| exist| existed| are real| actually exist)?\\)?${end}`,
  ),
  pattern(
    `(?:${separator}(?:and |but )?| and )(?:here's why|here is why|this is why|here's how|here's the reason why|here's the reason|find out why|see why|that's why|here's what happened|here's what we know|here's what to know|here's what you need to know|you need to see this|you have to see this|you need to see it|you have to see it to believe it|no, really|yes, really|no, seriously|seriously|oh my god|omg)\\)?${end}`,
  ),
  pattern(`${separator}?\\sbefore it's too late${end}`),
];

/** Not where it is the object of a question: `which song you need to hear`. */
export const duty = pattern(
  ` (?:that |which )?(?:you|everyone)(?: seriously| absolutely| definitely| really| probably| totally)?(?: need to| have to| must| should| needs to| has to| gotta|'ve got to) (?:see|read|watch|hear)(?: to believe it| to believe| for yourself)?(?: right now| immediately| today| asap| before you die)?${end}`,
);
export const questionWords: ReadonlySet<string> = new Set(
  'which what who whom why how where if tell guess'.split(' '),
);

/** A whole predicate: what is left has no verb, so it must be something that can stand alone. */
export const predicate = pattern(` (?:${effect}|'ll ${feeling} ${felt})${end}`);
export const clauseWords: ReadonlySet<string> = new Set(
  'why how if when because that who whose what where which while after before as reasons ways times signs proof prove proves proof things says said say think thinks believe and but or is are was were has have had do does did can could should would will'.split(
    ' ',
  ),
);

const notVerb =
  '(?<!\\b(?:grand|poetry|door|body|car|truck|bus|train|plane|storm|hurricane|quake|the|a|an|of|in|his|her|their|two|three|four|five|career|first|second|third) )';
const notHit =
  '(?! (?:into|home|shut|on|door|doors|the door|brakes|the brakes|down|against|through|dunk|dunks|event|events|title|titles|final|finals|winner|winners|with|poet|poetry|coast|town|city)\\b)';
const target = '(?= \\S)';

/** Verbs that shout, and what they mean. Tense and number stay. */
export const loadedVerbs: readonly (readonly [find: RegExp, instead: string])[] = [
  ['slams', 'criticises', target],
  ['slam', 'criticise', target],
  ['slammed', 'criticised', target],
].map(([from, to, after]) => [pattern(`${notVerb}\\b${from}\\b${notHit}${after}`, 'giu'), to ?? ''] as const);

/** What slams into a coast or a wall criticises nobody. */
export const slamWords: ReadonlySet<string> = new Set(
  `blizzard storm storms tornado tornadoes hurricane typhoon cyclone quake earthquake tsunami snow snowstorm wave waves rain ice
  flood floods wind winds heatwave car cars truck lorry plane jet train bus vehicle van ship boat asteroid comet meteor
  satellite driver crash tennis wimbledon poetry poet wrestling wrestler dunk`.split(/\s+/),
);

/** Of these, a bomb may be meant. */
export const blastVerbs: readonly (readonly [find: RegExp, instead: string])[] = [
  [
    pattern(
      `${notVerb}(?<!\\b(?:twin|bomb|gas|by|after|from|as|and|past|more) )\\bblasts\\b(?! (?:off|into|past|through|out|away|and|in|at|near|hit|hits|rock|rocks|shake|from|of|on|kill|kills|killed|leave|leaves|wound|injure|outside|across|as|to|its way|his way|her way|open|case|trial|suspect|suspects|site|victims)\\b)(?= \\S.* (?:over|for|as|after)\\b)`,
      'giu',
    ),
    'criticises',
  ],
  [pattern('\\bblasted (?=(?:for|over|as)\\b)', 'giu'), 'criticised '],
];
export const blastWords: ReadonlySet<string> = new Set(
  'bomb bombs bomber bombers bombing bombings explosion explosions kill kills killed dead deaths wounded injured suicide mine nuclear blast grenade rocket volcano gas storm radio music heat'.split(
    ' ',
  ),
);

export const loadedPhrases: readonly (readonly [find: RegExp, instead: string])[] = [
  ['(?:rips|tears|lays) into', 'criticises'],
  ['(?:ripped|tore) into', 'criticised'],
  ['(?:lashes|hits) out at', 'criticises'],
  ['lashed out at', 'criticised'],
  ['lash out at', 'criticise'],
  ['(?:takes a swipe|takes a dig) at', 'criticises'],
  ['took a swipe at', 'criticised'],
  ['(?:eviscerates|lambastes|lambasts|excoriates)', 'criticises'],
  ['(?:eviscerated|lambasted|excoriated)', 'criticised'],
  ['(?:eviscerate|lambaste|lambast|excoriate)', 'criticise'],
  ['(?:claps|fires) back at', 'responds to'],
  ['clapped back at', 'responded to'],
  ['claps back', 'responds'],
  ['clapped back', 'responded'],
  ['sparks (?:outrage|fury|backlash|a backlash|uproar)', 'draws criticism'],
  ['sparked (?:outrage|fury|backlash|a backlash|uproar)', 'drew criticism'],
].map(([from, to]) => [pattern(`\\b${from}(?= \\S|[.!?…]*$)`, 'giu'), to ?? ''] as const);

/** Where money is counted, nothing flies. */
export const moneyWords: ReadonlySet<string> = new Set(
  'price prices share shares stock stocks sales profit profits inflation rent rents rates cost costs index demand revenue unemployment debt'.split(
    ' ',
  ),
);
export const moneyVerbs: readonly (readonly [find: RegExp, instead: string])[] = [
  ['(?:soars|skyrockets)(?= (?:by )?\\W?\\d| to )', 'rises'],
  ['(?:soar|skyrocket)(?= (?:by )?\\W?\\d| to )', 'rise'],
  ['(?:soared|skyrocketed)(?= (?:by )?\\W?\\d| to )', 'rose'],
  ['(?:plummets|plunges|nosedives)(?= (?:by )?\\W?\\d| to )', 'falls'],
  ['(?:plummet|nosedive)(?= (?:by )?\\W?\\d| to )', 'fall'],
  ['(?:plummeted|plunged|nosedived)(?= (?:by )?\\W?\\d| to )', 'fell'],
  ['(?:soars|skyrockets)', 'rises sharply'],
  ['(?:soar|skyrocket)', 'rise sharply'],
  ['(?:soared|skyrocketed)', 'rose sharply'],
  ['(?:plummets|plunges|nosedives)', 'falls sharply'],
  ['(?:plummet|nosedive)', 'fall sharply'],
  ['(?:plummeted|plunged|nosedived)', 'fell sharply'],
].map(([from, to]) => [pattern(`(?<!\\b(?:as|a|the) )\\b${from}\\b`, 'giu'), to ?? ''] as const);

/** Deleted before the noun they stand at. */
export const loadedAdjectives: ReadonlySet<string> = new Set(
  `shocking stunning jaw-dropping mind-blowing mindblowing insane incredible unbelievable amazing epic outrageous horrifying
  heartbreaking heart-breaking heartwarming heart-warming adorable hilarious disgusting bombshell mind-boggling eye-popping
  gut-wrenching tear-jerking breathtaking gorgeous awesome hysterical sensational spectacular disgraceful unhinged badass
  kick-ass flawless glorious delicious ridiculous terrifying brutal must-see must-read must-watch life-changing freaking
  fucking goddamn fucked-up ridiculously-good delightful fabulous jaw-droppingly`.split(/\s+/),
);

/** Deleted before what they puff up. */
export const loadedAdverbs: ReadonlySet<string> = new Set(
  `insanely ridiculously incredibly unbelievably absolutely totally literally utterly shockingly stunningly hilariously
  outrageously brutally freaking fucking`.split(/\s+/),
);

/** After these an adjective is what is said, not how. */
export const beforePredicate: ReadonlySet<string> = new Set(
  `is are was were be been being so too very most more less how as not never no look looks looked looking feel feels felt sound
  sounds seem seems smell taste tastes isn't aren't wasn't weren't it's that's he's she's they're you're we're i'm what's
  there's who's who're 's just make makes made keep keeps get gets got go goes going went drive drives drove and or but stay
  stays act acts still pretty quite really truly actually kind bit all super rather fairly this`.split(/\s+/),
);

/** No noun: the adjective before these stands for itself. */
export const notNouns: ReadonlySet<string> = new Set(
  `and or but to of in on at for with by from as than that who which when while if because is are was were has have had
  will would can could may might must should do does did it he she they we you i the a an this these those his her
  their my your our its not so too thing one ones enough about after before during over under into out up down off
  only just even though although until me us them him`.split(/\s+/),
);

/** Works and people whose names begin with such a word. */
export const namedSo = pattern(
  '^(?:amazing grace|amazing race|amazing stories|amazing spider|incredible hulk|incredible india|epic games|epic records|insane clown|gorgeous george|magnificent seven|fabulous baker|epic poem|epic poems|awesome games|brutal legend|brutal death metal|epic fantasy)',
);

/** Dots and marks that belong to a name. */
export const markedNames = pattern(
  '\\b(?:yahoo|jeopardy|wham|panic|airplane|oklahoma|mia|oliver|moulin rouge|shazam|bingo)!$',
);

/** Pictures that shout, at either end. */
export const sirens =
  /^(?:[🚨🔥😱🤯😂🤣😭💥‼❗⚠👇👉👀😳😡🤬💀⬇➡❤😍]\uFE0F?\s?)+|(?:\s?[🚨🔥😱🤯😂🤣😭💥‼❗⚠👇👉👀😳😡🤬💀⬇➡❤😍]\uFE0F?)+$/gu;

/** Every word that the patterns above may take away. */
export const wordsThatMayGo: ReadonlySet<string> = new Set(
  [
    ...labels,
    ...stamps,
    ...openings.map(([find]) => find),
    forwardReference,
    ...endings,
    duty,
    predicate,
    ...[...loadedVerbs, ...blastVerbs, ...loadedPhrases, ...moneyVerbs].map(([find]) => find),
  ]
    .flatMap(({ source }) => source.replace(/\\[a-z](?:\{\w+\})?/gi, ' ').match(/[\p{L}-]+/gu) ?? [])
    .concat([...loadedAdjectives, ...loadedAdverbs, 'a', 'an'])
    .map((word) => word.toLowerCase()),
);
