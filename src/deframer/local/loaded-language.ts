// The words and turns that scores are made of, each with how much it says (0 to 1). Written by hand, for English; a few for
// the neighbours. A pattern sees the text in lower case, with straight apostrophes.

export interface Sign {
  readonly find: RegExp;
  readonly weight: number;
  /** In place of the words that were found. */
  readonly reason?: string;
}

export type LoadedScore = 'framing' | 'persuasive' | 'hyper_stimulus' | 'speculative' | 'clickbait';

function anyOf(weight: number, words: string, reason?: string): Sign {
  const alternatives = words
    .trim()
    .split(/\s*\|\s*/)
    .join('|');
  const find = new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, 'gu');
  return reason === undefined ? { find, weight } : { find, weight, reason };
}

const english: Readonly<Record<LoadedScore, readonly Sign[]>> = {
  framing: [
    anyOf(
      0.5,
      `(?<!grand |body )(?:slams?|slammed|slamming)|lambastes?|lambasts|lambasted|eviscerates?d?|excoriates?d?|demonizes?|smears?|smeared|vilifies|rants?|ranted|
      rips into|tears into|tore into|lashes out|lashed out|hits out|claps back|clapped back|humiliates?d?|humiliating|obliterates?d?|grovels?|
      disgraced?|disgraceful|shameful|shameless|traitors?|thugs?|witch hunt|hoax|cronies|lackeys?|puppets?|brainwashed|indoctrinat(?:e|es|ed|ing|ion)`,
    ),
    anyOf(
      0.4,
      `blasts(?= \\S+.* (?:over|for|as))|regime|radicals?|extremists?|fanatics?|elites?|woke|snowflakes?|mob|hordes?|invasion of|flood of|swarms? of|cartel of|
      draconian|orwellian|tyranny|tyrannical|dictatorial|propaganda|cover-up|conspiracy|so-called|self-proclaimed|hypocrisy|hypocrites?|crackdown|
      bloodbath|carnage|massacres?|nightmare|catastroph(?:e|ic)|disasters?|disastrous|fiasco|farce|meltdown|debacle|chaos|chaotic|crisis|outrage|outraged|
      outrageous|fury|furious|fuming|backlash|uproar|scandal|scandalous|sinister|evil|vile|wicked|cruel|heartless|brutal|brutally|savage|ruthless|corrupt|crooked|
      reckless|botched|bungled|bungling|doomed|doom|toxic|rotten|cowardly|pathetic|laughable|absurd|insane|lunatics?|deranged|unhinged|idiotic|stupid`,
    ),
    anyOf(
      0.25,
      `heroic|hero|heroes|controversial|embattled|hardline|hard-line|far-left|far-right|bitter|desperate|desperately|failed|failing|
      threatens|threatened|dangerous|alarming|disturbing|terrifying|horrific|horrifying|tragic|heartbreaking|devastating|devastated|shocking|stunning|
      crushing|crushed|destroys?|destroyed|dire|grim|bombshell|plot to|scheme to|exposed|exposes|caves|surrenders to|bows to|bullies|bullied|feared|fears|
      admits|claims that|insists|refuses to|defends|dodges|blames?|blamed|accused of`,
    ),
  ],
  persuasive: [
    anyOf(
      0.6,
      `why you (?:should|must|need to|have to)|you (?:must|need to|have to|should|ought to|'ve got to)|everyone (?:should|must|needs to|has to)`,
    ),
    anyOf(
      0.55,
      `act now|sign up|click here|share this|don't miss(?: out)?|subscribe|buy now|last chance|hurry|limited time|order now|shop now|book now|join us|
      donate now|sign the petition|take action|spread the word|before it's too late|before it is too late|must-haves?|must-see|must-read|must-watch|must-buy`,
    ),
    anyOf(
      0.4,
      `we (?:must|should|need to|have to|cannot|can't)|it's time (?:to|for|we)|it is time to|time to|let's|there's no excuse|no excuse|
      the (?:real )?reason (?:why )?you|you deserve|you can't afford|you owe it|if you care|stop (?:\\p{L}+ing)|start (?:\\p{L}+ing)|never again`,
    ),
    anyOf(
      0.25,
      `here's why|this is why|why we|the case for|the case against|makes you|will make you|best .{1,40} to buy|worth every|deals?|bargains?|save up to`,
    ),
  ],
  hyper_stimulus: [
    anyOf(
      0.5,
      `shocking|shocked|shocks|jaw-dropping|mind-blowing|mind-boggling|insane|insanely|unbelievable|unbelievably|omg|wtf|holy shit|epic|explosive|
      bombshell|terrifying|horrifying|horrific|nightmare|bloodbath|gruesome|gut-wrenching|blow your mind|lose your mind|losing it|freaking|fucking|stuns?|stunned`,
    ),
    anyOf(
      0.35,
      `amazing|amazingly|incredible|incredibly|awesome|stunning|breathtaking|hilarious|hilariously|adorable|gorgeous|outrageous|sensational|spectacular|
      heartbreaking|heartwarming|devastating|chilling|disgusting|crazy|ridiculous|ridiculously|absolutely|literally|totally|massive|huge|monster|mega|
      ultimate|perfect|flawless|magical|glorious|savage|brutal|deadly|panic|chaos|terror|rage|fury|obsessed|slays?|slayed|destroys?|obliterates?d?`,
    ),
    anyOf(
      0.25,
      `best|worst|the most|greatest|biggest|funniest|cutest|weirdest|hottest|craziest|scariest|ever|of all time|in history|never|always|everyone|everything|
      breaking|exclusive|urgent|instantly|finally|truly|actually|extremely`,
    ),
  ],
  speculative: [
    anyOf(
      0.55,
      `rumou?rs?|rumou?red|rumou?r has it|reportedly|allegedly|supposedly|purportedly|sources (?:say|said|claim|tell)|insiders? (?:say|says|claim|claims)|
      speculation|speculated|leaked?|leaks|tipped to|tipped as|could be about to|might be about to|is said to|are said to|said to be`,
    ),
    anyOf(
      0.45,
      `could|might|may(?= (?:be|have|not|soon|also|never|become|help|face|lose|see|get|need|take|make|end|cause|lead|mean|\\p{L}+))|perhaps|maybe|possibly|potentially|
      apparently|set to|poised to|on the verge of|on the brink of|expected to|likely to|looks set|predicts?|predicted|prediction|predictions|forecasts?|hints?|hinted|
      hints at|suspected|believed to|thought to|seems to|appears to|feared|fears of|what if|next big thing|is this the end`,
    ),
    anyOf(
      0.25,
      `would|should|claims?|claimed|suggests?|suggested|expects?|hopes? to|plans? to|alleged|considers?|considering|mulls|eyes|weighs|risk of|possible|likely|unlikely|future of`,
    ),
  ],
  clickbait: [
    anyOf(
      0.85,
      `you (?:won't|will never|'ll never|wouldn't|will not) (?:believe|guess)|you'll never (?:believe|guess)|what happen(?:ed|s) next|(?:will|'ll) (?:blow your mind|shock you|
      melt your heart|make you (?:cry|laugh|smile|gasp|cringe)|surprise you|amaze you|change your life|restore your faith)|(?:this )?one (?:weird|simple|strange) (?:trick|tip)|doctors hate|nobody is talking about|no one is talking about|
      the (?:reason|answer|result|ending) (?:will|is) (?:shock|surprise|hilarious|amazing)|can't stop laughing|and it's (?:everything|hilarious|perfect|adorable|amazing)|things you didn't know|didn't know you needed`,
    ),
    anyOf(
      0.5,
      `here's (?:why|what|how)|this is (?:why|what|how)|the real reason|the truth about|secrets?|tricks?|hacks?|what (?:he|she|they|it) (?:did|said|found)|(?:and )?here's what happened|
      reasons (?:why|you|to|that)|things (?:you|only|that|every)|signs (?:you|that|your)|ways to|times (?:when|that)|wait (?:till|until) you|need to know|need to see|based on your|we know (?:which|your)|we can guess`,
    ),
  ],
};

/** Few, and sure. Whoever knows these languages better is welcome. */
const others: Readonly<Record<string, Readonly<Partial<Record<LoadedScore, readonly Sign[]>>>>> = {
  de: {
    clickbait: [
      anyOf(
        0.7,
        'das müssen sie (?:wissen|sehen)|sie werden nicht glauben|du wirst nicht glauben|was dann geschah|was dann passiert|so (?:einfach|leicht) geht|darum|deshalb|dieser trick|das steckt dahinter',
      ),
    ],
    framing: [
      anyOf(
        0.4,
        'skandal|chaos|wahnsinn|irrsinn|empörung|wut|wütend|hetze|regime|radikale?r?|katastrophe|desaster|debakel|peinlich|schamlos|dreist',
      ),
    ],
    persuasive: [
      anyOf(
        0.5,
        'sie sollten|du solltest|sie müssen|du musst|jetzt (?:kaufen|sichern|handeln)|unbedingt|nicht verpassen|warum (?:sie|du|wir)',
      ),
    ],
    hyper_stimulus: [
      anyOf(
        0.4,
        'schock|schockierend|unglaublich|irre|krass|wahnsinn|sensation|sensationell|horror|drama|brutal|eilmeldung|gigantisch|mega',
      ),
    ],
    speculative: [
      anyOf(
        0.45,
        'könnte|könnten|dürfte|dürften|möglicherweise|vielleicht|angeblich|offenbar|gerüchte?|mutmaßlich|wohl|womöglich',
      ),
    ],
  },
  fr: {
    clickbait: [
      anyOf(
        0.7,
        "vous n'allez pas (?:en )?croire|la suite va vous|voici pourquoi|ce que vous (?:devez|ignorez)|cette astuce|incroyable mais vrai",
      ),
    ],
    framing: [
      anyOf(
        0.4,
        'scandale|chaos|colère|indignation|régime|radicaux|catastrophe|désastre|fiasco|honteux|honteuse|dérive',
      ),
    ],
    persuasive: [
      anyOf(
        0.5,
        'vous devez|vous devriez|il faut|pourquoi vous|à ne pas manquer|ne manquez pas|dépêchez-vous',
      ),
    ],
    hyper_stimulus: [
      anyOf(
        0.4,
        'choc|choquante?|incroyables?|terrifiante?|horreur|hallucinante?|folie|explosif|explosive|bouleversante?',
      ),
    ],
    speculative: [
      anyOf(
        0.45,
        'pourrait|pourraient|serait|seraient|aurait|auraient|peut-être|selon des sources|rumeurs?|probablement',
      ),
    ],
  },
  es: {
    clickbait: [
      anyOf(
        0.7,
        'no (?:te lo )?(?:vas a|podrás) creer|lo que pasó después|esta es la razón|lo que nadie te|el truco|te sorprenderá',
      ),
    ],
    framing: [
      anyOf(
        0.4,
        'escándalo|caos|furia|indignación|régimen|radicales|catástrofe|desastre|vergüenza|vergonzoso|fracaso',
      ),
    ],
    persuasive: [anyOf(0.5, 'debes|tienes que|deberías|por qué (?:debes|deberías)|no te pierdas|hay que')],
    hyper_stimulus: [
      anyOf(0.4, 'impactante|increíbles?|brutal|terrorífico|espectacular|bombazo|estremecedor|locura'),
    ],
    speculative: [
      anyOf(
        0.45,
        'podría|podrían|habría|sería|quizás?|tal vez|rumores?|presuntamente|supuestamente|según fuentes',
      ),
    ],
  },
  nl: {
    clickbait: [
      anyOf(
        0.7,
        'je (?:gelooft|raadt) nooit|dit is waarom|daarom|wat er toen gebeurde|deze truc|dit moet je weten',
      ),
    ],
    framing: [
      anyOf(0.4, 'schandaal|chaos|woede|woedend|ophef|regime|radicale?|ramp|rampzalig|schandalig|fiasco'),
    ],
    persuasive: [anyOf(0.5, 'je moet|u moet|waarom je|mis het niet|niet te missen|zou je moeten')],
    hyper_stimulus: [
      anyOf(0.4, 'schokkende?|ongelooflijke?|bizarre?|waanzinnige?|horror|drama|krankzinnig|spectaculaire?'),
    ],
    speculative: [
      anyOf(0.45, 'zou|zouden|mogelijk|misschien|vermoedelijk|naar verluidt|geruchten?|waarschijnlijk'),
    ],
  },
  da: {
    clickbait: [
      anyOf(0.7, 'du vil ikke tro|derfor|så skete det|det skal du vide|dette trick|her er grunden'),
    ],
    framing: [
      anyOf(0.4, 'skandale|kaos|raseri|rasende|vrede|regime|radikale?|katastrofe|fiasko|pinlig|skamløs'),
    ],
    persuasive: [anyOf(0.5, 'du skal|du bør|du må ikke gå glip|derfor bør|hvorfor du')],
    hyper_stimulus: [
      anyOf(0.4, 'chok|chokerende|vild|vildt|utrolig|utroligt|vanvittig|horror|drama|sensation'),
    ],
    speculative: [anyOf(0.45, 'måske|kan være|muligvis|angiveligt|formentlig|rygter?|ifølge kilder|ventes')],
  },
};

export function signsOf(language: string, score: LoadedScore): readonly Sign[] {
  return language === 'en' ? english[score] : (others[language]?.[score] ?? []);
}

/** First words that tell the reader to do something. */
export const imperatives: ReadonlySet<string> = new Set(
  `buy stop try watch see read join vote sign share don't never support check tell learn listen say donate forget click discover find
  act demand boycott meet get make take grab`.split(/\s+/),
);
