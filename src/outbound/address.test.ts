import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMetadataName, parseAddress, reachOf } from './address.ts';

/** First and last of every range that is not public, from IANA's registries. */
const neverV4 = [
  ['0.0.0.0', '0.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
] as const;
const privateV4 = [
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.100.100.199'],
  ['100.100.100.201', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.168.0.0', '192.168.255.255'],
] as const;

const toNumber = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const toText = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
const hex = (value: number) => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
const within = (ranges: readonly (readonly [string, string])[]) =>
  fc.oneof(...ranges.map(([first, last]) => fc.integer({ min: toNumber(first), max: toNumber(last) })));
const anyV4 = fc.integer({ min: 0, max: 0xffff_ffff });

/** Every way in which an IPv6 address has an IPv4 address inside, but for the mapped one. */
const embedded: Record<string, (v4: number) => string> = {
  'v4-compatible': (v4) => `::${hex(v4)}`,
  'v4-translated': (v4) => `::ffff:0:${hex(v4)}`,
  NAT64: (v4) => `64:ff9b::${hex(v4)}`,
  'local NAT64': (v4) => `64:ff9b:1::${hex(v4)}`,
  '6to4': (v4) => `2002:${hex(v4)}::1`,
  'Teredo client': (v4) => `2001:0:4136:e378:8000:63bf:${hex(~v4 >>> 0)}`,
  'Teredo server': (v4) => `2001:0:${hex(v4)}:8000:63bf:3fff:fdd2`,
  ISATAP: (v4) => `2a00:1450:4001:81b:0:5efe:${hex(v4)}`,
  'global ISATAP': (v4) => `2a00:1450:4001:81b:200:5efe:${hex(v4)}`,
};

describe('an IPv4 address', () => {
  it.each(neverV4)('is never connected to from %s to %s', (first, last) => {
    expect([first, last].map(reachOf)).toEqual(['never', 'never']);
  });

  it.each(privateV4)('is private from %s to %s', (first, last) => {
    expect([first, last].map(reachOf)).toEqual(['private', 'private']);
  });

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ])('%s next to a range is public', (address) => expect(reachOf(address)).toBe('public'));

  it.each(['172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'])(
    '%s beside a range is public',
    (address) => expect(reachOf(address)).toBe('public'),
  );

  it.each(['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192'])(
    '%s of a metadata service is never connected to',
    (address) => expect(reachOf(address)).toBe('never'),
  );

  it('anywhere within a range is judged as its ends are', () => {
    fc.assert(
      fc.property(within(neverV4), (v4) => {
        expect(reachOf(toText(v4))).toBe('never');
      }),
    );
    fc.assert(
      fc.property(within(privateV4), (v4) => {
        expect(reachOf(toText(v4))).toBe('private');
      }),
    );
  });
});

describe('an IPv4 address inside an IPv6 address', () => {
  it.each(Object.keys(embedded))('is never connected to as %s, whatever it is', (form) => {
    fc.assert(
      fc.property(anyV4, (v4) => {
        expect(reachOf(embedded[form]?.(v4) ?? '')).not.toBe('public');
      }),
    );
    fc.assert(
      fc.property(within([...neverV4, ...privateV4]), (v4) => {
        expect(reachOf(embedded[form]?.(v4) ?? '')).not.toBe('public');
      }),
    );
  });

  it('is judged and connected to as itself when it is v4-mapped', () => {
    fc.assert(
      fc.property(anyV4, (v4) => {
        const text = toText(v4);
        for (const mapped of [`::ffff:${text}`, `::FFFF:${hex(v4)}`, `0:0:0:0:0:ffff:${hex(v4)}`]) {
          expect(reachOf(mapped)).toBe(reachOf(text));
          expect(parseAddress(mapped)).toEqual({ address: text, family: 4 });
        }
      }),
    );
  });
});

describe('an IPv6 address', () => {
  it.each([
    '::',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'ff02::1',
    'ff0e::1',
    '3fff::1',
    '3fff:fff::1',
    '2001:db8::1',
  ])('%s is never connected to', (address) => expect(reachOf(address)).toBe('never'));

  it.each([
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:42::42',
    'fd00:42:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:2::1',
    '100::1',
    '5f00::1',
    '4000::1',
    '3ffe::1',
  ])('%s is likewise never connected to', (address) => expect(reachOf(address)).toBe('never'));

  it.each(['::1', '0:0:0:0:0:0:0:1', 'fc00::1', 'fd12:3456::1', 'fd00:41::1', 'fd00:43::1'])(
    '%s is private',
    (address) => expect(reachOf(address)).toBe('private'),
  );

  it.each(['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2620:fe::fe', '2001:4860:4860::8888'])(
    '%s is public',
    (address) => expect(reachOf(address)).toBe('public'),
  );

  it('outside 2000::/3 is never public', () => {
    const groups = fc.tuple(
      fc.integer({ min: 0, max: 0xffff }),
      fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 }),
    );
    fc.assert(
      fc.property(groups, ([first, rest]) => {
        fc.pre(first < 0x2000 || first > 0x3fff);
        expect(reachOf([first, ...rest].map((group) => group.toString(16)).join(':'))).not.toBe('public');
      }),
    );
  });
});

it.each(['', 'localhost', '127.1', '0x7f.0.0.1', '1.2.3', 'fe80::1%eth0', '::1%lo', '[::1]', ' 1.1.1.1'])(
  '%j is no address, and so never connected to',
  (text) => expect(reachOf(text)).toBe('never'),
);

it.each(['metadata.google.internal', 'METADATA.google.internal.', 'metadata', 'metadata.goog'])(
  '%s is the name of a metadata service',
  (name) => expect(isMetadataName(name)).toBe(true),
);
