import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { asTextLine, createLog } from './log.ts';
import { Secret } from './model/secret.ts';

function logged(
  format: 'auto' | 'text' | 'json',
  isTTY: boolean,
  write: (log: ReturnType<typeof createLog>) => void,
) {
  const out = Object.assign(new PassThrough(), { isTTY });
  write(createLog({ level: 'info', format, out }));
  return String(out.read() ?? '');
}

describe('the format', () => {
  it.each([
    ['json', true, 'json'],
    ['json', false, 'json'],
    ['text', false, 'text'],
    ['auto', true, 'text'],
    ['auto', false, 'json'],
  ] as const)('%s with a terminal (%s) is %s', (format, isTTY, expected) => {
    const line = logged(format, isTTY, (log) => log.info({ port: 1 }, 'hello'));
    if (expected === 'json') expect(JSON.parse(line)).toMatchObject({ level: 'info', port: 1, msg: 'hello' });
    else expect(line).toMatch(/^\d\d:\d\d:\d\d info {2}hello port=1\n$/);
  });

  it('leaves out what is below the level', () => {
    expect(logged('json', false, (log) => log.debug('quiet'))).toBe('');
  });

  it('shows an error with its stack under the line', () => {
    const text = asTextLine(
      '{"time":"2026-01-01T10:11:12.000Z","level":"error","msg":"oh","err":{"stack":"Error: x\\n at y"}}',
    );
    expect(text).toBe('10:11:12 error oh\nError: x\n at y\n');
  });
});

describe('a secret', () => {
  it.each([
    ['a Secret', { it: new Secret('hunter2') }],
    ['a password', { password: 'hunter2' }],
    ['a header', { req: { headers: { authorization: 'Bearer hunter2', cookie: 'session=hunter2' } } }],
    ['a token', { body: { token: 'hunter2' } }],
    ['a header in capitals', { headers: { Authorization: 'Bearer hunter2' } }],
    ['a field of ours', { body: { current_password: 'hunter2', client_secret: 'hunter2' } }],
    ['an address with an @ in the password', { err: new Error('postgres://anna:pw@hunter2@db/x') }],
    ['an address with a slash in the password', { err: new Error('postgres://anna:pw/hunter2@db/x') }],
    ['an address in an error', { err: new Error('cannot reach postgres://anna:hunter2@db/x') }],
    [
      'an address in the cause of an error',
      { err: new Error('no', { cause: new Error('https://a:hunter2@feed/') }) },
    ],
  ])('in %s is not written', (_where, fields) => {
    for (const format of ['json', 'text'] as const) {
      const line = logged(format, false, (log) => log.info(fields, 'x'));
      expect(line).toContain('[secret]');
      expect(line).not.toContain('hunter2');
    }
  });
});
