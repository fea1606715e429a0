// The ledger of the fault runs reports what it is there to report.
import { beforeEach, expect, it } from 'vitest';
import { Ledger, type ReadRows } from '../support/fault-run/ledger.ts';

let ledger: Ledger;
let groups: readonly string[];

/** An index in which there are only groups. */
const read: ReadRows = async (query) =>
  query.includes('FROM groups') ? groups.map((key) => ({ key, value: 'there' })) : [];

beforeEach(() => {
  ledger = new Ledger();
  groups = [];
});

it('a change that was acknowledged and is there is no problem', async () => {
  ledger.acknowledged('group', 'a', 'there');
  groups = ['a', 'of somebody else'];
  expect(await ledger.check(read)).toEqual({ checked: 1, lost: [], duplicated: [] });
});

it('a change that was acknowledged and is not there is lost, and is reported once', async () => {
  ledger.acknowledged('group', 'a', 'there');
  expect(await ledger.check(read)).toMatchObject({ lost: ['group a: expected there, found nothing'] });
  expect(await ledger.check(read)).toMatchObject({ lost: [] });
});

it('a deletion that was acknowledged and did not happen is lost', async () => {
  ledger.acknowledged('group', 'a', undefined);
  groups = ['a'];
  expect(await ledger.check(read)).toMatchObject({ lost: ['group a: expected nothing, found there'] });
});

it('a thing that is there twice is a duplicate', async () => {
  ledger.acknowledged('group', 'a', 'there');
  groups = ['a', 'a'];
  expect(await ledger.check(read)).toMatchObject({ lost: [], duplicated: ['group a: 2 times'] });
});

it.each([[[]], [['a']]])(
  'a change that was sent and not answered may have happened or not: %o',
  async (there) => {
    ledger.sent('group', 'a', 'there');
    groups = there;
    expect(await ledger.check(read)).toMatchObject({ lost: [], duplicated: [] });
  },
);

it('a change that was sent and not answered allows the value before, the new value, and no other', async () => {
  ledger.acknowledged('preference', 'a', '1');
  ledger.sent('preference', 'a', '2');
  const other: ReadRows = async (query) =>
    query.includes('FROM preferences') ? [{ key: 'a', value: '3' }] : [];
  expect(await ledger.check(other)).toMatchObject({ lost: ['preference a: expected 1 or 2, found 3'] });
});
