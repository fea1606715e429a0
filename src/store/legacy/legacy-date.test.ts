import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLegacyDate } from './legacy-date.ts';

const moment = Date.UTC(2024, 1, 29, 13, 14, 15);

describe('a date of an old database', () => {
  it.each<[written: unknown, expected: number | undefined]>([
    [1_709_212_455, moment],
    [1_709_212_455n, moment],
    [1_709_212_455.5, moment + 500],
    [1_709_212_455_000, moment],
    [1_709_212_455_000_000n, moment],
    [1_709_212_455_000_000_000n, moment],
    ['1709212455', moment],
    ['1709212455.25', moment + 250],
    ['1.709212455e9', moment],
    ['2024-02-29T13:14:15Z', moment],
    ['2024-02-29T13:14:15.123456789Z', moment + 123],
    ['2024-02-29T21:14:15.999999999+08:00', moment + 999],
    ['2024-02-29 21:14:15.9+08:00', moment + 900],
    ['2024-02-29 07:44:15-05:30', moment],
    ['2024-02-29 13:14:15', moment],
    ['2024-02-29T13:14:15', moment],
    ['2024-02-29 13:14:15 +0000 UTC', moment],
    ['2024-02-29 21:14:15.123 +0800 CST m=+12.000000001', moment + 123],
    ['2024-02-29 13:14:15 UTC', moment],
    ['2024-02-29 13:14', moment - 15_000],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['  2024-02-29  ', Date.UTC(2024, 1, 29)],
    ['2023-02-29', undefined],
    ['2024-13-01', undefined],
    ['2024-02-29 24:00:00', undefined],
    ['0001-01-01 00:00:00+00:00', undefined],
    ['1969-12-31', undefined],
    ['yesterday', undefined],
    ['', undefined],
    [0, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [9e18, Date.UTC(2255, 2, 14, 16)],
    [1e25, undefined],
    [null, undefined],
    [new Uint8Array(3), undefined],
  ])('%$: %s is %s', (written, expected) => {
    expect(parseLegacyDate(written)).toBe(expected);
  });

  const anyMoment = fc.integer({ min: 1, max: Date.UTC(2099, 0, 1) });
  const two = (n: number) => String(n).padStart(2, '0');

  it('is the same however it was written, and wherever', () => {
    fc.assert(
      fc.property(anyMoment, fc.integer({ min: -14 * 60, max: 14 * 60 }), (at, offset) => {
        const local = new Date(at + offset * 60_000).toISOString().slice(0, -1);
        const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
        expect(parseLegacyDate(`${local}${zone}`)).toBe(at);
        expect(parseLegacyDate(`${local.replace('T', ' ')}456789${zone}`)).toBe(at);
        expect(parseLegacyDate(`${local.replace('T', ' ')} ${zone.replace(':', '')} XYZ`)).toBe(at);
      }),
    );
  });

  it('without a zone is of Greenwich, and without a time its first moment', () => {
    fc.assert(
      fc.property(anyMoment, (at) => {
        const text = new Date(at).toISOString();
        const second = Math.floor(at / 1000) * 1000;
        const day = Date.parse(text.slice(0, 10));
        expect(parseLegacyDate(text.slice(0, 19).replace('T', ' '))).toBe(second || undefined);
        expect(parseLegacyDate(text.slice(0, 10))).toBe(day || undefined);
      }),
    );
  });

  it('in seconds or milliseconds is told by its size', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(1980, 0, 1), max: Date.UTC(2099, 0, 1) }), (at) => {
        expect(parseLegacyDate(at)).toBe(at);
        expect(parseLegacyDate(BigInt(Math.floor(at / 1000)))).toBe(Math.floor(at / 1000) * 1000);
      }),
    );
  });

  it('that is none is none: whatever comes, it is answered by a time or by nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double(), fc.bigInt(), fc.date().map(String)), (anything) => {
        const found = parseLegacyDate(anything);
        expect(found === undefined || (Number.isSafeInteger(found) && found > 0)).toBe(true);
      }),
    );
  });
});
