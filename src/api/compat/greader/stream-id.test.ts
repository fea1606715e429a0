import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feedStream, labelStream, parseStreamId, readingList, stateStream } from './stream-id.ts';

describe('the id of a stream', () => {
  it.each([
    ['feed/12', { kind: 'feed', feed: 12 }],
    ['feed/feed/12', { kind: 'feed', feed: 12 }],
    ['feed/https://a.example/feed', { kind: 'feed', feed: 'https://a.example/feed' }],
    ['feed/9999999999999999999', { kind: 'feed', feed: '9999999999999999999' }],
    ['user/-/label/News', { kind: 'label', name: 'News' }],
    ['user/anna/label/News', { kind: 'label', name: 'News' }],
    ['user/-/label/A/B', { kind: 'label', name: 'A/B' }],
    ['user/-/label/state/com.google/read', { kind: 'label', name: 'state/com.google/read' }],
    ['user/-/label/__proto__', { kind: 'label', name: '__proto__' }],
    ['user/-/label/日本語', { kind: 'label', name: '日本語' }],
    ['user/-/state/com.google/starred', { kind: 'state', state: 'starred' }],
    ['user/05185502537486227907/state/com.google/read', { kind: 'state', state: 'read' }],
    [readingList, { kind: 'state', state: 'reading-list' }],
    ['feed/', undefined],
    ['user/-/label/', undefined],
    ['user/-/state/org.example/read', undefined],
    ['user/-/', undefined],
    ['', undefined],
    ['feed', undefined],
    ['Feed/1', undefined],
  ])('"%s" is read as %o', (text, id) => {
    expect(parseStreamId(text)).toEqual(id);
  });

  it('comes back from what is written', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => text.trim() === text);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e15 - 1 }), name, name, (id, label, state) => {
        expect(parseStreamId(feedStream(id))).toEqual({ kind: 'feed', feed: id });
        expect(parseStreamId(labelStream(label))).toEqual({ kind: 'label', name: label });
        expect(parseStreamId(stateStream(state))).toEqual({ kind: 'state', state });
      }),
    );
  });
});
