import { expect, test } from 'vitest';
import type { Feed, FetchState } from '../../web/src/lib/api-types.ts';
import { type Health, healthOf, needsAttention } from '../../web/src/reader/feed-health.ts';

const now = 1_000_000;
const well: FetchState = {
  last_checked_at: now - 600,
  next_check_at: now + 600,
  last_http_status: 200,
  retry_after_until: 0,
  last_success_at: now - 600,
  last_error_at: 0,
  last_error: '',
  consecutive_failures: 0,
  moved_to: '',
};

function feed(state: Partial<FetchState>, rest: Partial<Feed> = {}): Feed {
  return {
    id: 1,
    group_id: 1,
    name: 'A feed',
    link: 'https://a.example/feed',
    site_url: '',
    suspended: false,
    proxy: '',
    keep_entries: null,
    full_text: false,
    gone_at: null,
    created_at: 0,
    fetch_state: { ...well, ...state },
    icon: false,
    unread_count: 0,
    item_count: 0,
    ...rest,
  };
}

const failing = (status: number, failures = 1) => ({
  last_http_status: status,
  consecutive_failures: failures,
});

test('each way of failing has its own words', () => {
  const cases: [Health, Feed][] = [
    ['well', feed({})],
    ['new', feed({ last_checked_at: 0, last_success_at: 0, last_http_status: 0 })],
    ['gone', feed(failing(410), { gone_at: now })],
    ['suspended', feed({}, { suspended: true })],
    ['moved', feed({ moved_to: 'https://b.example/feed' })],
    ['resting', feed({ ...failing(429), retry_after_until: now + 60 })],
    ['login', feed(failing(401))],
    ['forbidden', feed(failing(403))],
    ['missing', feed(failing(404))],
    ['broken', feed(failing(503))],
    ['silent', feed(failing(0))],
    ['notFeed', feed(failing(200))],
    ['failing', feed(failing(418))],
  ];
  for (const [health, one] of cases) expect(healthOf(one, now), health).toBe(health);
});

test('a feed that mends itself draws no attention until it has failed for long', () => {
  expect(needsAttention(feed({}), now)).toBe(false);
  expect(needsAttention(feed(failing(503, 1)), now)).toBe(false);
  expect(needsAttention(feed(failing(503, 4)), now)).toBe(true);
  expect(needsAttention(feed(failing(404)), now)).toBe(true);
  expect(needsAttention(feed({ ...failing(429), retry_after_until: now + 60 }), now)).toBe(false);
});

test('a feed that has never worked draws attention at its first failure', () => {
  expect(needsAttention(feed({ ...failing(0), last_success_at: 0 }), now)).toBe(true);
});
