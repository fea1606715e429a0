import { expect, it } from 'vitest';
import { parsePresenceName, presenceName, roles } from './presence.ts';

it.each(roles)('the name of a presence lease holds role and holder: %s', (role) => {
  const presence = { role, holder: 'hold:er-1' };
  expect(parsePresenceName(presenceName(presence))).toEqual(presence);
});

it.each(['journal', 'serve:killed', 'serve:other:x', 'serve:api:'])('%s names no presence', (name) => {
  expect(parsePresenceName(name)).toBeUndefined();
});
