// Every route of the read API, and who may call it. A handler has to stand here to be reached, so that none can exist
// without saying whether it is open; a test walks this table.

/** `open` needs no token; it may still refuse a request that comes from another site. */
export type Access = 'open' | 'token';

export const routes = {
  'POST /api/session': 'open',
  'DELETE /api/session': 'open',
  'GET /api/search': 'token',
  'GET /api/tags': 'token',
  'GET /api/raindrops/:id': 'token',
  'GET /api/raindrops/:id/copy': 'token',
  'GET /api/raindrops/:id/text': 'token',
  'GET /api/mirror': 'token',
  'POST /api/mirror/run': 'token',
  'POST /api/mirror/reinflate': 'token',
} as const satisfies Record<string, Access>;

export type RouteName = keyof typeof routes;
