// Whether the model that comes with Lectern finds what is said in other words.
import { afterAll, expect, it } from 'vitest';
import { createLocalEmbedder } from '../../src/search/meaning/local-embedder.ts';
import { dequantise, quantise } from '../../src/search/meaning/quantise.ts';

const embedder = createLocalEmbedder();
afterAll(() => embedder.close());

const sentences = [
  'The central bank raised interest rates by half a percentage point to fight inflation.',
  'Scientists have found a new species of frog in the rainforest of Ecuador.',
  'The city will close its main bridge for repairs until the end of summer.',
  'A novel way to store passwords makes stolen databases useless to attackers.',
  'The striker scored three goals and led the team to the final of the cup.',
  'Bread dough should rise in a warm place until it has doubled in size.',
  'The telescope has photographed the oldest galaxy that was ever seen.',
  'Doctors advise walking half an hour every day to keep the heart healthy.',
  'The film about a lonely lighthouse keeper won the prize of the festival.',
  'Parliament voted to ban the sale of new petrol cars from 2035.',
  'How to prune apple trees in winter without harming the fruit.',
  'The orchestra played the symphony for the first time in fifty years.',
  'Sales of electric bicycles have doubled as commuters avoid the train.',
  'An open source database engine now runs inside the browser.',
  'The airline cancelled hundreds of flights after its pilots went on strike.',
  'Children who are read to at bedtime do better at school.',
  'A storm has left thousands of homes without electricity on the coast.',
  'The museum returned bronze statues that were taken in colonial times.',
  'Engineers teach a robot to fold laundry by watching videos.',
  'Rents in the capital have risen faster than wages for ten years.',
];

const questions: readonly (readonly [question: string, sentence: number])[] = [
  ['why did borrowing money become more expensive', 0],
  ['discovery of an unknown amphibian in South America', 1],
  ['protecting user credentials from hackers', 3],
  ['football player with a hat trick', 4],
  ['baking a loaf at home', 5],
  ['astronomers look at the early universe', 6],
  ['physical exercise is good for cardiovascular health', 7],
  ['travellers stranded because of a walkout of airport staff', 14],
  ['power outage caused by bad weather', 16],
  ['housing is becoming unaffordable in big cities', 19],
];

it('finds the sentence for nine of ten questions in other words among the first three', async () => {
  const never = new AbortController().signal;
  const stored = (await embedder.embed(sentences, never)).map((vector) => dequantise(quantise(vector)));
  const asked = await embedder.embed(
    questions.map(([question]) => question),
    never,
  );
  const places = questions.map(([, wanted], n) => {
    const scores = stored.map((vector) =>
      vector.reduce((sum, value, d) => sum + value * (asked[n]?.[d] ?? 0), 0),
    );
    return scores.filter((score) => score > (scores[wanted] as number)).length;
  });
  expect(places.filter((place) => place < 3).length, `places: ${places}`).toBeGreaterThanOrEqual(9);
});
