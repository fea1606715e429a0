import { describe, expect, it } from 'vitest';
import { readableHtml } from './readable-html.ts';
import { sanitiseHtml } from './sanitise-html.ts';

const shown = (html: string) => readableHtml(sanitiseHtml(html, { baseUrl: 'https://blog.example/' }));

describe('HTML as it is shown', () => {
  it('opens links beside the reader, and tells nobody where they were found', () => {
    expect(shown('<a href="/x?a&b" title=">">x</a>')).toBe(
      '<a href="https://blog.example/x?a&amp;b" title="&gt;" rel="noopener noreferrer" target="_blank">x</a>',
    );
    expect(shown('<a>no link</a> <abbr title="&lt;a href=&quot;">x</abbr>')).toBe(
      '<a>no link</a> <abbr title="&lt;a href=&quot;">x</abbr>',
    );
  });

  it('loads images when they come near', () => {
    expect(shown('<img src="a.png" alt="A > B">')).toBe(
      '<img src="https://blog.example/a.png" alt="A &gt; B" loading="lazy" decoding="async">',
    );
  });

  it.each([
    [
      'https://www.youtube.com/embed/abc_-1?autoplay=1',
      'https://www.youtube.com/watch?v=abc_-1',
      'youtube.com',
    ],
    ['https://player.vimeo.com/video/77', 'https://vimeo.com/77', 'vimeo.com'],
    ['https://www.dailymotion.com/embed/video/x7', 'https://www.dailymotion.com/video/x7', 'dailymotion.com'],
  ])('makes a link of the player %s', (src, url, host) => {
    expect(shown(`<p>a<iframe src="${src}">b</iframe>c</p>`)).toBe(
      `<p>a<a href="${url}" rel="noopener noreferrer" target="_blank">▶ ${host}</a>c</p>`,
    );
  });

  it('leaves text as it is, whatever it looks like', () => {
    expect(shown('<p>&lt;img src=x&gt; &lt;iframe&gt;</p>')).toBe('<p>&lt;img src=x&gt; &lt;iframe&gt;</p>');
  });
});
