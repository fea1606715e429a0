import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../../../test/support/depth.ts';
import { containsText } from './contains-text.ts';

it('says what includes says', () => {
  const text = fc.stringMatching(/^[ab]{0,12}$/);
  fc.assert(
    fc.property(text, text, (whole, part) => {
      expect(containsText(whole, part)).toBe(whole.includes(part));
    }),
    propertyRuns(2_000),
  );
});

it('says so of long texts that are nearly the same throughout', () => {
  const whole = 'a'.repeat(200_000);
  expect(containsText(whole, `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`)).toBe(false);
});
