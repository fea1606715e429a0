// Who is asking, and what of.
import { Forbidden } from '../../../errors.ts';
import type { ApiDeps } from '../../context.ts';
import { type AddRoute, pathId } from './route.ts';

/** Clients compare it with the version that brought what they need. */
const minifluxVersion = '2.2.8';

export function accountRoutes(add: AddRoute, { version }: ApiDeps): void {
  add('get', '/version', (c) =>
    c.json({
      version: minifluxVersion,
      commit: `Lectern ${version}`,
      build_date: '',
      go_version: '',
      compiler: '',
      arch: '',
      os: '',
    }),
  );

  add('get', '/me', (c) => {
    const { user } = c.get('actor');
    return c.json({
      id: user.id,
      username: user.username,
      is_admin: user.role === 'owner',
      theme: 'system_serif',
      language: 'en_US',
      timezone: 'UTC',
      entry_sorting_direction: 'desc',
      entry_sorting_order: 'published_at',
      entries_per_page: 100,
      keyboard_shortcuts: true,
      show_reading_time: true,
      entry_swipe: true,
      gesture_nav: 'tap',
      last_login_at: null,
      display_mode: 'standalone',
      default_reading_speed: 265,
      cjk_reading_speed: 500,
      default_home_page: 'unread',
      categories_sorting_order: 'alphabetical',
      mark_read_on_view: true,
      mark_read_on_media_player_completion: false,
      media_playback_rate: 1,
      stylesheet: '',
      custom_js: '',
      external_font_hosts: '',
      google_id: '',
      openid_connect_id: '',
      block_filter_entry_rules: '',
      keep_filter_entry_rules: '',
      always_open_external_links: false,
      open_external_links_in_new_tab: true,
    });
  });

  // Our library is what an entry can be saved to.
  add('get', '/integrations/status', (c) => c.json({ has_integrations: true }));

  add('put', '/users/{id}/mark-all-as-read', async (c) => {
    const { user, rows } = c.get('actor');
    if (pathId(c) !== user.id) throw new Forbidden('access forbidden');
    await rows.entries.markAllRead();
    return c.body(null, 204);
  });

  for (const method of ['put', 'delete'] as const)
    add(method, '/flush-history', () => {
      throw new Forbidden('what was read is kept; a feed can be told how many entries to keep');
    });
}
