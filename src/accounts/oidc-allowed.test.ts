import { describe, expect, it } from 'vitest';
import { findAllowed, parseAllowedUsers } from './oidc-allowed.ts';

const nobody = { issuer: 'https://id.example', subject: '1', name: undefined, email: undefined };
const finds = (entry: string, person: object) =>
  findAllowed(parseAllowedUsers([entry]), { ...nobody, ...person }) !== undefined;

describe('the list of those who may sign on', () => {
  it.each([
    ['anna@example.org', { by: 'email', value: 'anna@example.org', username: undefined }],
    ['anna', { by: 'name', value: 'anna', username: undefined }],
    ['Anna Winter', { by: 'name', value: 'Anna Winter', username: undefined }],
    ['sub:a|b=@c', { by: 'subject', value: 'a|b=@c', username: undefined }],
    ['anna@example.org as Owner', { by: 'email', value: 'anna@example.org', username: 'owner' }],
    ['sub:1  AS  anna@example.org', { by: 'subject', value: '1', username: 'anna@example.org' }],
  ])('reads "%s"', (entry, expected) => {
    expect(parseAllowedUsers([entry])).toEqual([expected]);
  });

  it.each(['sub:', 'sub: as owner', 'anna as <b>', `anna as ${'a'.repeat(65)}`])('refuses "%s"', (entry) => {
    expect(() => parseAllowedUsers([entry])).toThrow(/^LECTERN_OIDC_ALLOWED_USERS: expected .*, got "/);
  });

  it('finds each by what they are listed by, and by nothing else', () => {
    expect(finds('anna', { name: 'anna' })).toBe(true);
    expect(finds('anna', { email: 'anna', subject: 'anna' })).toBe(false);
    expect(finds('sub:1', { name: 'sub:1', subject: '2' })).toBe(false);
    expect(finds('anna@example.org', { name: 'anna@example.org', subject: 'anna@example.org' })).toBe(false);
    expect(finds('sub:1', {})).toBe(true);
  });

  it('knows a mailbox in capitals, and none in other scripts', () => {
    expect(finds('Kim@example.org', { email: 'kIM@EXAMPLE.org' })).toBe(true);
    expect(finds('kim@example.org', { email: '\u212Aim@example.org' })).toBe(false);
    expect(finds('kim@example.org', { email: 'kim\uFF20example.org' })).toBe(false);
    expect(finds('kim@example.org', {})).toBe(false);
  });
});
