import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { propertyRuns } from '../../../test/support/depth.ts';
import { type Analysis, categories, scoreNames } from '../../model/deframer.ts';
import type { Article } from '../analyzer.ts';
import { createLocalAnalyzer } from './local-analyzer.ts';

const analyzer = createLocalAnalyzer();

async function analysisOf(article: Partial<Article>): Promise<Analysis> {
  const whole = {
    url: 'https://news.example/a',
    title: '',
    description: '',
    text: '',
    language: 'en',
    ...article,
  };
  return (await analyzer.analyze({ article: whole, prompt: null }, new AbortController().signal)).analysis;
}

describe('bait is told from news', () => {
  it.each([
    '17 Kitchen Tricks That Will Blow Your Mind',
    "You won't believe what happened when she opened the fridge",
    'This Puppy Seeing Snow For The First Time Is Everything',
    '21 Things Only Left-Handed People Understand',
    'Which Pasta Shape Are You?',
    'These Are The Best Jeans You Will Ever Wear',
    "We Tried The New Oat Milk And Here's What Happened",
    'Doctors hate this one weird trick to lose belly fat',
    "People Can't Stop Talking About This Dress",
    'Can You Guess Which Of These Dogs Is Older?',
  ])('%s', async (title) => {
    expect((await analysisOf({ title })).clickbait).toBeGreaterThan(0.5);
  });

  it.each([
    'Central bank raises interest rates to 4.5%',
    'Portugal and Spain agree on a new rail link between Lisbon and Madrid',
    'Court orders power company to pay 20 million for river pollution',
    'The bank has raised its fees, and customers were not told',
    'How the ECB sets interest rates',
    'Why Germany is rearming',
    '5 dead after bus falls into ravine in Peru',
    'Dogs were domesticated twice, genetic study finds',
    'Study links air pollution to dementia',
    'The company that makes the chips for most phones',
    'Swedish court sentences three men for fraud',
  ])('and not %s', async (title) => {
    const { clickbait, framing, persuasive } = await analysisOf({ title });
    expect(Math.max(clickbait, framing, persuasive)).toBeLessThan(0.3);
  });
});

describe('a score says what it rests on', () => {
  it.each<
    [
      title: string,
      score: 'framing' | 'clickbait' | 'persuasive' | 'hyper_stimulus' | 'speculative',
      at: number,
      reason: string,
    ]
  >([
    ['Radical mob storms parliament as regime collapses', 'framing', 0.7, '“radical”, “mob”, “regime”'],
    ['Minister slams Brussels over fishing quotas', 'framing', 0.5, '“slams”'],
    ['Hurricane Nora slams Gulf coast', 'framing', 0, 'nothing found'],
    ['Minister calls plan "a disaster"', 'framing', 0, 'nothing found'],
    ['Why you should switch your pension before April', 'persuasive', 0.6, '“why you should”'],
    ['Stop buying bottled water', 'persuasive', 0.6, '“stop buying”, begins with an order: “stop”'],
    ['SHOCKING: Bridge collapses!!!', 'hyper_stimulus', 0.8, 'exclamation marks'],
    [
      'Apple could reportedly launch a folding phone, sources say',
      'speculative',
      0.8,
      '“reportedly”, “sources say”, “could”',
    ],
    ['Is the combustion engine finished?', 'speculative', 0.4, 'asks a question'],
    ['Central bank raises interest rates', 'speculative', 0, 'nothing found'],
    ['Ostend', 'clickbait', 0, 'nothing found'],
    ['21 Things Only Left-Handed People Understand', 'clickbait', 0.9, 'starts with a number'],
  ])('%s: %s', async (title, score, at, reason) => {
    const analysis = await analysisOf({ title });
    expect(analysis[score]).toBeGreaterThanOrEqual(at);
    if (at === 0) expect(analysis[score]).toBe(0);
    expect(analysis[`${score}_reason`]).toContain(reason);
  });

  it('and the description counts, but less', async () => {
    const sober = await analysisOf({ title: 'Council meets in Ghent' });
    const below = await analysisOf({ title: 'Council meets in Ghent', description: 'A shameful farce.' });
    const above = await analysisOf({ title: 'Shameful farce in Ghent council' });
    expect([sober.framing < below.framing, below.framing < above.framing]).toEqual([true, true]);
  });

  it('and several signals are worse than one', async () => {
    const one = await analysisOf({ title: 'Minister slams Brussels' });
    const two = await analysisOf({ title: 'Minister slams Brussels, sources say' });
    expect(two.overall).toBeGreaterThan(one.overall);
  });
});

describe('another language', () => {
  it('is weighed by patterns and few words, and says so', async () => {
    const analysis = await analysisOf({ title: 'SCHOCK: Das müssen Sie wissen!!!', language: 'de-AT' });
    expect(analysis.clickbait).toBeGreaterThan(0.5);
    expect(analysis.overall_reason).toContain('the model knows English alone');
  });

  it('of which nothing is known is weighed by patterns, and says so', async () => {
    const analysis = await analysisOf({
      title: 'Tämä on hyvin tärkeä päätös you won’t believe',
      language: 'fi',
    });
    expect([analysis.clickbait, analysis.overall]).toEqual([0, 0]);
    expect(analysis.overall_reason).toContain('only patterns: the words of this language are not known');
  });

  it.each([
    ['Warum der Streik bei der Bahn weitergeht', 'knows English alone'],
    ['Le Sénat adopte la réforme des retraites', 'knows English alone'],
    ['東京で地震、けが人なし', 'only patterns'],
  ])('is guessed where nobody names it: %s', async (title, reason) => {
    expect((await analysisOf({ title, language: '' })).overall_reason).toContain(reason);
  });

  it('is English where its words are', async () => {
    const analysis = await analysisOf({
      title: "Here's why the rents in your town are rising",
      language: '',
    });
    expect(analysis.overall_reason).not.toContain('English');
    expect(analysis.title_corrected).toBe('Why the rents in your town are rising');
  });
});

describe('the category', () => {
  it.each<[article: Partial<Article>, category: string]>([
    [{ title: 'Parliament votes on budget' }, 'politics'],
    [{ title: 'Striker scores two goals in cup match' }, 'sport'],
    [{ title: 'Telescope finds a planet around a near star' }, 'science'],
    [{ title: 'A quiet day', url: 'https://news.example/sport/2026/a' }, 'sport'],
    [{ title: 'A quiet day', description: 'Doctors at the hospital treat patients.' }, 'health'],
    [{ title: 'A quiet day' }, 'other'],
  ])('%j', async (article, category) => {
    expect((await analysisOf(article)).category).toBe(category);
  });
});

describe('the local analyzer', () => {
  it('takes nothing, asks nothing and has a version', async () => {
    const article = { url: '', title: 'A', description: '', text: '', language: '' };
    const { usage, analysis } = await analyzer.analyze(
      { article, prompt: 'x' },
      new AbortController().signal,
    );
    expect(usage).toEqual({ calls: 0, tokensIn: 0, tokensOut: 0, costMicros: 0 });
    expect([analysis.llm_model, analyzer.model]).toEqual(['local/1', 'local/1']);
    expect(analyzer.instructions({ article, prompt: 'x' })).toBe('');
  });

  it('stops when it is told to', async () => {
    const article = { url: '', title: 'A', description: '', text: '', language: '' };
    const stopped = analyzer.analyze({ article, prompt: null }, AbortSignal.abort(new Error('enough')));
    await expect(stopped).rejects.toThrow('enough');
  });

  it('scores from 0 to 1 with a reason, whatever it is given', async () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 200 }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\ud800', 'SHOCKING!!! You won’t believe this', '10 could 10 slams '.repeat(600)),
    );
    const articles = fc.record({
      url: text,
      title: text,
      description: text,
      text,
      language: fc.constantFrom('', 'en', 'de', 'fr', 'ja', 'en-GB'),
    });
    await fc.assert(
      fc.asyncProperty(articles, async (article) => {
        const analysis = await analysisOf(article);
        for (const name of [...scoreNames, 'overall'] as const) {
          expect(analysis[name]).toBe(Math.round(analysis[name] * 100) / 100);
          expect(analysis[name] >= 0 && analysis[name] <= 1).toBe(true);
          expect(analysis[`${name}_reason`]).not.toBe('');
          expect(analysis[`${name}_reason`].split(' ').length).toBeLessThanOrEqual(20);
        }
        expect([analysis.title_original, analysis.description_original]).toEqual([
          article.title,
          article.description,
        ]);
        expect(analysis.title_correction_reason).not.toBe('');
        expect(categories).toContain(analysis.category);
      }),
      propertyRuns(400),
    );
  });
});
