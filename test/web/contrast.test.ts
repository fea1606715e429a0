// Text that can be read: every colour of the web app that carries text, on everything it stands on, in every theme.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contrast, linearRgb, type Oklch, parseOklch } from '../../web/src/lib/contrast.ts';

const css = readFileSync(new URL('../../web/src/styles/tokens.css', import.meta.url), 'utf8');

/** What is declared between the braces after `selector`, by name. */
function declarations(selector: string): Map<string, string> {
  const from = css.indexOf(`${selector} {`);
  if (from < 0) throw new Error(`tokens.css has no ${selector}`);
  const block = css.slice(css.indexOf('{', from) + 1, css.indexOf('}', from));
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

const light = declarations(':root');
const dark = declarations(':root[data-theme="dark"]');
const sepia = declarations(':root[data-theme="sepia"]');
const themes = {
  light,
  sepia: new Map([...light, ...sepia]),
  dark: new Map([...light, ...dark]),
};

function colour(theme: Map<string, string>, name: string): Oklch {
  const parsed = parseOklch(theme.get(name) ?? '');
  if (!parsed) throw new Error(`--${name} is no colour in OKLCH: ${theme.get(name)}`);
  return parsed;
}

const grounds = ['paper', 'surface', 'raised'];
const interfaceInks = ['ink-soft', 'ink-faint', 'accent', 'good', 'warn', 'bad'];
const marks = ['mark-yellow', 'mark-green', 'mark-blue', 'mark-pink', 'mark-purple'];

describe.each(Object.entries(themes))('the colours of the theme %s', (_, theme) => {
  const ratio = (ink: string, ground: string) => contrast(colour(theme, ink), colour(theme, ground));

  it.each(grounds)('body text has 7:1 on %s', (ground) => {
    expect(ratio('ink', ground)).toBeGreaterThanOrEqual(7);
  });

  it.each(grounds.flatMap((ground) => interfaceInks.map((ink) => [ink, ground] as const)))(
    'text of the interface in %s has 4.5:1 on %s',
    (ink, ground) => {
      expect(ratio(ink, ground)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('the text of a primary button has 4.5:1 on the accent', () => {
    expect(ratio('accent-ink', 'accent')).toBeGreaterThanOrEqual(4.5);
  });

  it('text on the wash of the accent has 4.5:1', () => {
    for (const ink of ['ink', 'ink-soft', 'ink-faint', 'accent'])
      expect(ratio(ink, 'accent-wash'), ink).toBeGreaterThanOrEqual(4.5);
  });

  it.each(marks)('body text has 7:1 on %s', (mark) => {
    expect(ratio('ink', mark)).toBeGreaterThanOrEqual(7);
  });

  it.each(grounds)('the edge of a field has 3:1 on %s', (ground) => {
    expect(ratio('line-strong', ground)).toBeGreaterThanOrEqual(3);
  });
});

describe('the theme of the system', () => {
  it('is, where that is dark, the dark one', () => {
    expect(declarations(':root[data-theme="system"]')).toEqual(dark);
  });
});

describe('the contrast of two colours', () => {
  const black = { lightness: 0, chroma: 0, hue: 0 };
  const white = { lightness: 1, chroma: 0, hue: 0 };

  it('is 21 between black and white, either way, and 1 between the same', () => {
    expect(contrast(black, white)).toBeCloseTo(21, 3);
    expect(contrast(white, black)).toBeCloseTo(21, 3);
    expect(contrast(white, white)).toBe(1);
  });

  it('is that of pure red on white, as published', () => {
    // oklch(0.62796 0.25768 29.234) is #f00.
    const red = parseOklch('oklch(62.796% 0.25768 29.234 / 0.5)') as Oklch;
    expect(linearRgb(red).map((value) => value.toFixed(2))).toEqual(['1.00', '0.00', '0.00']);
    expect(contrast(red, white)).toBeCloseTo(3.998, 2);
  });

  it('is not made up for what is no colour in OKLCH', () => {
    expect(parseOklch('#fff')).toBeUndefined();
    expect(parseOklch('var(--ink)')).toBeUndefined();
  });
});
