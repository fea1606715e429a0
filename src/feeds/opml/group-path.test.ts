import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../test/support/depth.ts';
import { joinPath, splitPath } from './group-path.ts';

it.each<[path: string[], name: string]>([
  [['Tech'], 'Tech'],
  [['Tech', 'Databases'], 'Tech / Databases'],
  [['TCP/IP', 'and/or'], 'TCP/IP / and/or'],
  [['Sun / Moon'], 'Sun // Moon'],
  [['Sun // Moon'], 'Sun /// Moon'],
  [['/', 'a'], '// / a'],
  [['a /', '/ b'], 'a // / // b'],
])('%j is the group "%s", and back', (path, name) => {
  expect(joinPath(path)).toBe(name);
  expect(splitPath(name)).toEqual(path);
});

it.each(['a / / b', '/ a', 'a /', '/', 'a  /  b', ' / '])(
  'a name that no path is joined to is one folder: "%s"',
  (name) => {
    expect(splitPath(name)).toEqual([name]);
  },
);

describe('any', () => {
  const folder = fc
    .string({ unit: fc.constantFrom('a', '/', ' ', 'ä', '\u00a0', '\u{1f4da}'), minLength: 1, maxLength: 12 })
    .map((text) => text.trim())
    .filter((text) => text !== '');

  it('path comes back from the name of its group', () => {
    fc.assert(
      fc.property(fc.array(folder, { minLength: 1, maxLength: 5 }), (path) => {
        expect(splitPath(joinPath(path))).toEqual(path);
      }),
      propertyRuns(2_000),
    );
  });

  it('name of a group comes back, unless it is such that no path has it', () => {
    fc.assert(
      fc.property(folder, (name) => {
        const path = splitPath(name);
        if (path.length > 1) expect(joinPath(path)).toBe(name);
        expect(splitPath(joinPath(path))).toEqual(path);
      }),
      propertyRuns(2_000),
    );
  });
});
