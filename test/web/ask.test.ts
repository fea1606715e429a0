// Answers of the library as they come: events, citations, and what counts as a question.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitReached, notForMembers } from '../../src/search/answer/ask-limit.ts';
import { EventReader } from '../../web/src/lib/sent-events.ts';
import { askRefusal } from '../../web/src/search/query-problem.ts';
import { readsLikeQuestion } from '../../web/src/search/reads-like-question.ts';
import { splitAnswer } from '../../web/src/search/split-answer.ts';

describe('events in the body of an answer', () => {
  const write = ({ event, data }: { event: string; data: unknown }) =>
    `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

  it('are the same wherever the text is cut', () => {
    const sent = fc.record({ event: fc.constantFrom('sources', 'delta', 'done'), data: fc.string() });
    fc.assert(
      fc.property(fc.array(sent, { maxLength: 6 }), fc.array(fc.nat(200)), (events, cuts) => {
        const text = `: still here\n\n${events.map(write).join(': still here\n\n')}`;
        const at = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort(
          (a, b) => a - b,
        );
        const reader = new EventReader();
        const read = at.flatMap((from, n) => reader.push(text.slice(from, at[n + 1] ?? text.length)));
        expect(read.map(({ event, data }) => ({ event, data: JSON.parse(data) }))).toEqual(events);
      }),
    );
  });

  it('may have other ends of lines, several lines of data, and no name', () => {
    expect(new EventReader().push('data: a\r\ndata:b\r\n\r\nid: 1\rdata\r\r')).toEqual([
      { event: 'message', data: 'a\nb' },
      { event: 'message', data: '' },
    ]);
    expect(new EventReader().push('event: delta\n\nevent: delta\ndata: half')).toEqual([]);
  });
});

describe('an answer', () => {
  it.each([
    ['It is at the end [1].', ['It is at the end ', 1, '.']],
    ['Both [1, 2] and [3]', ['Both ', 1, 2, ' and [3]']],
    ['[2]', [2]],
    ['<b>[1]</b> [x](javascript:1) [1', ['<b>', 1, '</b> [x](javascript:1) [1']],
    ['[1,3]', ['[1,3]']],
    ['', []],
  ])('%j is cut at its citations', (text, pieces) => {
    expect(splitAnswer(text, [1, 2]).map((piece) => ('text' in piece ? piece.text : piece.cites))).toEqual(
      pieces,
    );
  });

  it('loses no word of its text', () => {
    const part = fc.constantFrom('[1]', '[2, 1]', '[9]', '[', ']', 'word ', '<i>');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const pieces = splitAnswer(parts.join(''), [1, 2]);
        const text = pieces.map((piece) => ('text' in piece ? piece.text : '')).join('');
        expect(text).toBe(parts.filter((one) => one !== '[1]' && one !== '[2, 1]').join(''));
      }),
    );
  });
});

describe('a question that the server refuses', () => {
  const now = Date.UTC(2026, 10, 18, 23, 59);
  const until = Date.UTC(2026, 10, 19) / 1000;

  it.each([
    ['the limit of the day', limitReached(100, now).message, { kind: 'limit', n: 100, until }],
    ['a limit of one', limitReached(1, now).message, { kind: 'limit', n: 1, until }],
    ['that members may not ask', notForMembers, { kind: 'notForMembers' }],
    ['too many questions at once', 'too many questions are being answered; try again in a moment', undefined],
    ['nothing', '', undefined],
  ])('is told apart by its sentence: %s', (_, said, refusal) => {
    expect(askRefusal(said)).toEqual(refusal);
  });
});

describe('a question', () => {
  it.each([
    ['heron', false],
    ['night train', false],
    ['what', false],
    ['why not', false],
    ['heron?', false],
    ['why herons?', true],
    ['where did I read about lighthouse lenses', true],
    ['how wide is a comfortable line', true],
    ['Wie breit ist eine gute Zeile', true],
    ['灯塔在哪里？', true],
    ['the way a heron waits', false],
  ])('%j: %j', (text, isOne) => {
    expect(readsLikeQuestion(text)).toBe(isOne);
  });
});
