import { expect, test } from 'vitest';
import { listWindow, nearsEnd, rowsPassed, scrollToRow } from '../../web/src/lib/list-window.ts';

const view = { scrollTop: 0, height: 800, rowHeight: 100, count: 10_000, overscan: 4 };

test('a list of ten thousand has only the rows around its view in the document', () => {
  expect(listWindow(view)).toEqual({ from: 0, to: 12, before: 0, after: 998_800 });
  const middle = listWindow({ ...view, scrollTop: 500_050 });
  expect(middle).toEqual({ from: 4_996, to: 5_013, before: 499_600, after: 498_700 });
});

test('the rows and the space around them always make up the whole list', () => {
  for (const count of [0, 1, 7, 8, 9, 500])
    for (let scrollTop = -50; scrollTop < count * 100 + 300; scrollTop += 37) {
      const { from, to, before, after } = listWindow({ ...view, count, scrollTop });
      expect(before + (to - from) * 100 + after).toBe(count * 100);
      expect(from).toBeLessThanOrEqual(to);
    }
});

test('a list that has become shorter than where it was scrolled to shows no row twice and none that is not there', () => {
  expect(listWindow({ ...view, count: 3, scrollTop: 90_000 })).toEqual({
    from: 3,
    to: 3,
    before: 300,
    after: 0,
  });
});

test('the next page is wanted before the end can be seen', () => {
  expect(nearsEnd({ ...view, count: 100 })).toBe(false);
  expect(nearsEnd({ ...view, count: 100, scrollTop: 6_300 })).toBe(true);
  expect(nearsEnd({ ...view, count: 0 })).toBe(true);
});

test('a row in sight moves nothing, one beyond is shown with its neighbour', () => {
  expect(scrollToRow(3, view)).toBe(0);
  expect(scrollToRow(7, view)).toBe(100);
  expect(scrollToRow(50, view)).toBe(4_400);
  expect(scrollToRow(10, { ...view, scrollTop: 4_400 })).toBe(900);
  expect(scrollToRow(0, { ...view, scrollTop: 4_400 })).toBe(0);
  expect(scrollToRow(9_999, view)).toBe(999_200);
});

test('rows count as passed when they have left at the top', () => {
  expect(rowsPassed({ ...view, scrollTop: 99 })).toBe(0);
  expect(rowsPassed({ ...view, scrollTop: 250 })).toBe(2);
  expect(rowsPassed({ ...view, scrollTop: 250, count: 1 })).toBe(1);
});
