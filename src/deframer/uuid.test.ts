import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { newUuid } from './uuid.ts';

it('a UUID is random but for the bits that say of which kind it is', () => {
  const of = (byte: number) => newUuid((bytes) => Buffer.alloc(bytes, byte).toString('base64url'));
  expect(of(0x00)).toBe('00000000-0000-4000-8000-000000000000');
  expect(of(0xff)).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
});

it('no UUID comes twice', () => {
  const random = (bytes: number) => randomBytes(bytes).toString('base64url');
  const made = Array.from({ length: 1_000 }, () => newUuid(random));
  expect(new Set(made).size).toBe(1_000);
  for (const uuid of made)
    expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
