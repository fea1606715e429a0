import { describe, expect, it } from 'vitest';
import { excerptOf, excerptSource } from './excerpt.ts';

describe('an excerpt', () => {
  it('is the whole text on one line where that is short', () => {
    expect(excerptOf('<p>Wind &amp; <b>rain</b></p><p>all day</p>')).toBe('Wind & rain all day');
    expect(excerptOf('')).toBe('');
    expect(excerptOf('<img src="https://a.example/b">')).toBe('');
  });

  it('ends at a word, or in the middle of one that does not end', () => {
    expect(excerptOf('one two three four', 10)).toBe('one two…');
    expect(excerptOf('one two three four', 13)).toBe('one two three…');
    expect(excerptOf('这是一个很长的句子没有任何空格', 6)).toBe('这是一个很长…');
    expect(excerptOf('😀😀😀😀', 5)).toBe('😀😀…');
  });

  it('shows nothing of markup that was cut through', () => {
    const cutIn = (tail: string) =>
      `${'<br>'.repeat(excerptSource / 4 - 3)}word`.padEnd(excerptSource - 6) + tail;
    expect(excerptOf(cutIn('<img src="https://a.example/">'))).toBe('word');
    expect(excerptOf(cutIn(' &quot;x'))).toBe('word');
  });

  it('does not read an article to its end', () => {
    const text = `${'<br>'.repeat(excerptSource)}too late`;
    expect(excerptOf(text)).toBe('');
  });
});
