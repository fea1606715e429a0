import { describe, expect, it } from 'vitest';
import { fileName } from '../../web/src/reader/file-name.ts';

describe('the name of a file that came with an entry', () => {
  it.each([
    ['https://cdn.example/shows/episode%20one.mp3?t=1', 'episode one.mp3'],
    ['https://cdn.example/shows/100%.mp3', '100%.mp3'],
    ['https://cdn.example/%E0%A4%A.mp3', '%E0%A4%A.mp3'],
    ['https://cdn.example/', 'https://cdn.example/'],
  ])('of %s is read as far as it can be', (href, name) => expect(fileName(href)).toBe(name));
});
