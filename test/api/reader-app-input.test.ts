// Whatever is sent to Fever and Miniflux, the answer is theirs and never a failure of ours.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { feverKey } from '../../src/accounts/secrets.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { openApi, type TestApi } from '../support/api.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine } from '../support/engines.ts';
import { fill, newFeed, published } from '../support/reader.ts';

const odd = [
  '',
  '0',
  '-1',
  '1',
  '2',
  '1,2,3',
  '1.5',
  '1e3',
  '9007199254740993',
  '999999999999999',
  '9'.repeat(400),
  'null',
  "1' OR '1'='1",
  '%00',
  '%ff%fe',
  '%',
  '%ED%A0%80',
  '%F0%9F%98%80',
  '../..',
  'true',
  'read',
  'unread',
  'item',
  'feed',
  'group',
  'id',
  'desc',
  'x'.repeat(5_000),
];
const feverNames = [
  'groups feeds favicons items links unread_item_ids saved_item_ids since_id max_id with_ids feed_ids group_ids',
  'mark as id before unread_recently_read api',
]
  .join(' ')
  .split(' ');
const minifluxNames = [
  'status offset limit order direction before after published_before published_after changed_before changed_after',
  'before_entry_id after_entry_id starred search category_id feed_id tags counts',
]
  .join(' ')
  .split(' ');

onEachEngine('whatever is sent to Fever and Miniflux', (engine) => {
  let api: TestApi;
  let secret: string;

  beforeAll(async () => {
    api = await openApi(engine);
    const anna = await api.addUser('anna');
    ({ secret } = await createToken(api.accounts, anna, { name: 'an app', scope: 'write' }));
    const rows = api.opened.store.forUser(anna.id);
    await rows.feeds.create(newFeed('https://a.example/'));
    await fill(api.opened.store, 'https://a.example/', [published('a'), published('b')]);
    return () => api.close();
  });

  const queryOf = (names: readonly string[]) =>
    fc
      .array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...odd)), { maxLength: 6 })
      .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'));

  async function expectAnswer(response: Response): Promise<void> {
    const text = await response.text();
    expect(response.status, `${text}\n${api.logLines.at(-2)}`).toBeLessThan(500);
    if (text !== '') JSON.parse(text);
  }

  it('is answered by Fever, in the address and in the body', async () => {
    const key = `api_key=${feverKey('anna', secret)}`;
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    await fc.assert(
      fc.asyncProperty(queryOf(feverNames), queryOf(feverNames), async (query, form) => {
        await expectAnswer(await api.visitor().get(`/fever/?${key}&${query}`));
        await expectAnswer(
          await api.visitor().send('POST', `/fever?${query}`, { body: `${key}&${form}`, headers }),
        );
      }),
      propertyRuns(150),
    );
  });

  it('is answered by Miniflux, in the address', async () => {
    const headers = { 'X-Auth-Token': secret };
    const places = [
      'entries',
      'entries/ids',
      'feeds/1/entries',
      'categories/1/entries',
      'categories',
      'entries/{}',
    ];
    const paths = fc.tuple(
      fc.constantFrom(...places, 'feeds/{}', 'icons/{}', 'enclosures/{}'),
      fc.constantFrom(...odd),
    );
    await fc.assert(
      fc.asyncProperty(paths, queryOf(minifluxNames), async ([place, id], query) => {
        await expectAnswer(await api.visitor().get(`/v1/${place.replace('{}', id)}?${query}`, { headers }));
      }),
      propertyRuns(250),
    );
  });

  it('is answered by Miniflux, in the body', async () => {
    const headers = { 'X-Auth-Token': secret };
    const routes = [
      ['PUT', '/v1/entries'],
      ['POST', '/v1/categories'],
      ['PUT', '/v1/categories/1'],
      ['POST', '/v1/feeds'],
      ['PUT', '/v1/feeds/1'],
      ['POST', '/v1/discover'],
      ['PUT', '/v1/entries/1/bookmark'],
      ['POST', '/v1/entries/1/save'],
    ] as const;
    const names = [
      'entry_ids',
      'status',
      'starred',
      'title',
      'feed_url',
      'category_id',
      'url',
      'site_url',
      'disabled',
    ];
    const value = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        true,
        'read',
        [1, 2],
        [1e308],
        ['1'],
        'https://b.example/\u0000',
        '\ud800',
        0,
        -1,
        1,
      ),
      fc.jsonValue(),
    );
    const body = fc.oneof(fc.dictionary(fc.constantFrom(...names), value), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...routes), body, async ([method, path], sent) => {
        await expectAnswer(await api.visitor().send(method, path, { body: JSON.stringify(sent), headers }));
      }),
      propertyRuns(250),
    );
  });

  it('is logged as no failure', () => {
    expect(api.logLines.filter((line) => /"level":(5|6)0|"level":"(error|fatal)"/.test(line))).toEqual([]);
  });
});
