// What a person has set in the web app. Lectern keeps it and does not read it, but for `check_links`: true asks for the
// pages of saved items to be looked for now and then.
import { z } from '@hono/zod-openapi';
import { Invalid } from '../../errors.ts';
import { mostPreferences } from '../../store/owned/preference-store.ts';
import type { Router } from '../router.ts';
import { json, jsonBody } from '../schemas.ts';

const longestValueBytes = 4_096;

const Preferences = z.record(z.string(), z.unknown()).openapi('Preferences');

const PreferencesPatch = z
  .record(
    z.string().regex(/^[a-z][a-z0-9_.-]{0,63}$/, 'expected a name of a-z, 0-9, dots, dashes and underscores'),
    z.unknown(),
  )
  .refine((patch) => Object.keys(patch).length <= mostPreferences, {
    message: `expected at most ${mostPreferences} names`,
  })
  .openapi('PreferencesPatch', {
    description: `Names of a-z, 0-9, dots, dashes and underscores; values of any JSON up to ${longestValueBytes} bytes, null takes one away`,
  });

const path = '/api/me/preferences';
const tags = ['accounts'];
const all = json(z.object({ data: Preferences }), 'All of them, by name');

export function preferenceRoutes(router: Router): void {
  router.user(
    { method: 'get', path, tags, summary: 'What you have set', responses: { 200: all } },
    async (c) => c.json({ data: toBody(await c.get('actor').rows.preferences.list()) }, 200),
  );

  router.user(
    {
      method: 'patch',
      path,
      tags,
      summary: 'Set some; null takes one away, and what is not named stays as it is',
      request: { body: jsonBody(PreferencesPatch) },
      responses: { 200: all },
    },
    async (c) => {
      const { preferences } = c.get('actor').rows;
      const changes = Object.entries(c.req.valid('json')).map(([name, value]) => ({
        name,
        value: value === null ? null : valueText(name, value),
      }));
      if (changes.length > 0) await preferences.change(changes);
      return c.json({ data: toBody(await preferences.list()) }, 200);
    },
  );
}

function valueText(name: string, value: unknown): string {
  const tooLarge = new Invalid(`${name}: expected at most ${longestValueBytes} bytes of JSON`);
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    // Nested deeper than can be written, and so larger than that as well.
    if (cause instanceof RangeError) throw tooLarge;
    throw cause;
  }
  if (Buffer.byteLength(text) > longestValueBytes) throw tooLarge;
  return text;
}

function toBody(preferences: readonly { name: string; value: string }[]): Record<string, unknown> {
  return Object.fromEntries(preferences.map(({ name, value }) => [name, JSON.parse(value)]));
}
