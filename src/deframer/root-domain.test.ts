import { describe, expect, it } from 'vitest';
import { parseRootDomain, rootDomainOf } from './root-domain.ts';

describe('parseRootDomain', () => {
  it.each([
    ['example.com', 'example.com'],
    [' Example.COM. ', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
    ['192.0.2.7', '192.0.2.7'],
    ['a_b.example', 'a_b.example'],
  ])('takes %j for %s', (text, domain) => {
    expect(parseRootDomain(text)).toBe(domain);
  });

  it.each([
    '',
    '.',
    '1',
    '0x7f.1',
    'a..b',
    '*',
    '*.example.com',
    '-x-.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
    'https://example.com',
    'example.com/a',
    'example.com:80',
    'anna@example.com',
    'two words',
    '%65xample.com',
  ])('refuses %j', (text) => {
    expect(parseRootDomain(text)).toBeUndefined();
  });
});

describe('rootDomainOf', () => {
  it.each([
    ['https://www.example.co.uk/feed', 'example.co.uk'],
    ['https://anna.github.io/', 'anna.github.io'],
    ['http://[2001:db8::1]/', '[2001:db8::1]'],
    ['http://127.0.0.1:8080/', '127.0.0.1'],
    ['no address', null],
  ])('of %s is %s', (address, domain) => {
    expect(rootDomainOf(address)).toBe(domain);
  });
});
