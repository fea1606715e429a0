// `npm run train -- DIR`: learns src/deframer/local/headline-weights.json from clickbait.txt and non_clickbait.txt in DIR, a
// headline on each line. The data is Stop Clickbait's and no part of the project. The same data gives the same bytes.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { areaUnderCurve, type Headline, isHeldOut, readHeadlines } from '../conformance/headlines.ts';
import { featuresOf } from '../src/deframer/local/headline-features.ts';
import { ordinaryWords } from '../src/deframer/local/ordinary-words.ts';
import { isCapitalised, letterCaseOf, wordsIn } from '../src/deframer/local/words.ts';

const source = { data: 'Stop Clickbait (Chakraborty, Paranjape, Kakarla, Ganguly 2016)', licence: 'MIT' };
const settings = { seenAtLeast: 8, epochs: 30, rate: 0.15, l2: 3, smallest: 0.1 };

/** Who a headline is about makes no bait of it, though the outlets of the data would have it so. */
const people = new Set(
  `she she's her hers herself he he's him his himself woman women woman's women's man men man's men's girl girls boy boys
  lady ladies wife wives husband husbands mom moms mum mother mothers dad dads father fathers daughter son sister sisters
  brother brothers lesbian lesbians gay queer trans transgender bisexual feminist feminists feminism black white asian
  latino hispanic muslim muslims jewish christian hindu pregnant vegan fat plus-size disabled blind deaf autistic
  immigrant immigrants native teen teens teenage teenager teenagers millennial millennials`.split(/\s+/),
);

/** Some outlets write whole sentences and some leave these out: that is their style again, whatever the sentence says. */
const grammar = new Set(
  `a an the is are was were be been being has have had do does did of in at on to and but or with by from for as into over
  their its it it's that who than then there after before during about up out new says said s t what why how who when where`.split(
    /\s+/,
  ),
);

interface Example {
  readonly features: readonly number[];
  readonly isBait: boolean;
}

const [directory] = process.argv.slice(2);
if (directory === undefined) {
  process.stderr.write('npm run train -- DIR, with clickbait.txt and non_clickbait.txt in it\n');
  process.exit(2);
}
train(readHeadlines(directory));

function train(headlines: readonly Headline[]): void {
  const training = shuffled(headlines.filter((headline) => !isHeldOut(headline)));
  const heldOut = headlines.filter(isHeldOut);
  const keys = chooseFeatures(training);
  const learned = learn(training.map(exampleBy(keys)), keys);
  const weights = keys
    .map((key, index): [string, number] => [key, round(learned.weights[index] ?? 0)])
    .filter(([, weight]) => Math.abs(weight) >= settings.smallest)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const bias = round(learned.bias);
  const auc = areaUnderCurve(scoresWith(new Map(weights), bias, heldOut));
  const counts = { trained: training.length, heldOut: heldOut.length, heldOutAuc: Number(auc.toFixed(5)) };
  const file = new URL('../src/deframer/local/headline-weights.json', import.meta.url);
  // Keys such as "2" would come first, whatever the order: none is a number, for those are "#".
  const json = JSON.stringify({ ...source, ...counts, bias, weights: Object.fromEntries(weights) }, null, 2);
  writeFileSync(file, `${json}\n`);
  process.stdout.write(
    `${weights.length} weights, ${json.length + 1} bytes, held-out AUC ${auc.toFixed(5)}\n`,
  );
}

/**
 * Words that are seen often enough, and are nobody's name. Who was in the news when the data was gathered would otherwise
 * make bait of any headline with them in it, and news of any town at war. Only headlines in which capitals mean something
 * bear witness: there, a name has one mostly.
 */
function chooseFeatures(training: readonly Headline[]): string[] {
  const seen = new Map<string, number>();
  for (const { text } of training)
    for (const { key } of featuresOf(text)) seen.set(key, (seen.get(key) ?? 0) + 1);
  const isOrdinary = ordinaryBy(training);
  return [...seen]
    .filter(([key, count]) => count >= settings.seenAtLeast && isStyleless(key, isOrdinary))
    .map(([key]) => key)
    .sort();
}

function isStyleless(key: string, isOrdinary: (word: string) => boolean): boolean {
  if (key.startsWith('*')) return true;
  const words = key.replace(/^\^/, '').split(' ');
  return words.every(isOrdinary) && !words.every((word) => grammar.has(word) || word === '#');
}

function ordinaryBy(training: readonly Headline[]): (word: string) => boolean {
  const small = new Map<string, number>();
  const capital = new Map<string, number>();
  for (const { text } of training) {
    const words = wordsIn(text);
    const letterCase = letterCaseOf(words);
    for (const { text: word, key } of words.slice(1)) {
      const counts = isCapitalised(word) ? (letterCase === 'sentence' ? capital : undefined) : small;
      counts?.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return (word) =>
    !people.has(word) &&
    (word === '#' || ordinaryWords.has(word) || (small.get(word) ?? 0) > 2 * (capital.get(word) ?? 0));
}

function exampleBy(keys: readonly string[]): (headline: Headline) => Example {
  const indexes = new Map(keys.map((key, index) => [key, index]));
  return ({ text, isBait }) => ({
    features: featuresOf(text).flatMap(({ key }) => indexes.get(key) ?? []),
    isBait,
  });
}

/**
 * Stochastic gradient descent on the logistic loss, with steps that shrink (AdaGrad) and weights that are pulled to zero.
 * No pattern may speak against bait: that the bait in the data has lost its question marks must not make news of a question.
 */
function learn(
  examples: readonly Example[],
  keys: readonly string[],
): { weights: Float64Array; bias: number } {
  const { length: size } = keys;
  const weights = new Float64Array(size);
  const steps = new Float64Array(size).fill(1e-6);
  const seen = new Float64Array(size);
  for (const { features } of examples)
    for (const feature of features) seen[feature] = (seen[feature] ?? 0) + 1;
  let bias = 0;
  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    for (const { features, isBait } of examples) {
      const sum = features.reduce((total, feature) => total + (weights[feature] ?? 0), bias);
      const error = 1 / (1 + Math.exp(-sum)) - (isBait ? 1 : 0);
      bias -= (settings.rate / 10) * error;
      for (const feature of features) {
        const gradient = error + (settings.l2 * (weights[feature] ?? 0)) / (seen[feature] ?? 1);
        steps[feature] = (steps[feature] ?? 0) + gradient * gradient;
        const weight = (weights[feature] ?? 0) - (settings.rate * gradient) / Math.sqrt(steps[feature] ?? 1);
        weights[feature] = keys[feature]?.startsWith('*') ? Math.max(0, weight) : weight;
      }
    }
  }
  return { weights, bias };
}

function scoresWith(weights: ReadonlyMap<string, number>, bias: number, headlines: readonly Headline[]) {
  return headlines.map(({ text, isBait }) => ({
    score: featuresOf(text).reduce((sum, { key }) => sum + (weights.get(key) ?? 0), bias),
    isBait,
  }));
}

/** By what they are, so that the order is the same on every machine, and no chance is needed. */
function shuffled(headlines: readonly Headline[]): Headline[] {
  const place = ({ text }: Headline) => createHash('sha256').update(`order ${text}`).digest('hex');
  return headlines
    .map((headline) => ({ headline, at: place(headline) }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(({ headline }) => headline);
}

function round(weight: number): number {
  return Number(weight.toFixed(2));
}
