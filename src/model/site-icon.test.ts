import { describe, expect, it } from 'vitest';
import { siteOriginOf } from './site-icon.ts';

const link = 'https://feeds.example/a/feed.xml';
const originOf = (siteUrl: string, over = {}) => siteOriginOf({ siteUrl, link, proxy: '', ...over });

describe('the site whose icon a feed has', () => {
  it('is the origin of its site, without what else the address says', () => {
    expect(originOf('https://USER:secret@Site.example:443/blog?x#y')).toBe('https://site.example');
    expect(originOf('http://site.example:8080/')).toBe('http://site.example:8080');
  });

  it('is that of the feed itself when the site is not known, or not on the web', () => {
    for (const siteUrl of ['', 'not an address', 'mailto:a@b.example', 'file:///etc/passwd'])
      expect(originOf(siteUrl)).toBe('https://feeds.example');
    expect(originOf('', { link: '' })).toBe('');
  });

  it('is none for a feed behind a proxy, since only the proxy may be asked', () => {
    expect(originOf('https://site.example/', { proxy: 'socks5://127.0.0.1:9050' })).toBe('');
  });
});
