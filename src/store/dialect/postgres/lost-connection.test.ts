import { expect, it } from 'vitest';
import { isLostConnection } from './lost-connection.ts';

const withCode = (code: string) => Object.assign(new Error('x'), { code });

it.each([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ETIMEDOUT',
  '08006',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '25P04',
])('is told by the code %s', (code) => expect(isLostConnection(withCode(code))).toBe(true));

it.each([
  'Connection terminated unexpectedly',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'There was an error establishing an SSL connection',
  'Cannot use a pool after calling end on the pool',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
])('is told by the message "%s"', (message) => expect(isLostConnection(new Error(message))).toBe(true));

it.each(['23505', '40001', '42601', '57014', '25006', 'ENOSPC'])('is not what the code %s says', (code) =>
  expect(isLostConnection(withCode(code))).toBe(false),
);
