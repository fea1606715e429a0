// The description of the API, made from the routes themselves.
import type { Router } from './router.ts';

export type ApiDescription = ReturnType<typeof describeApi>;

export function describeApi(router: Router, version: string) {
  const description = router.app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Lectern',
      version,
      description:
        'The self-hosted library for everything you read. Programs log in with a token, as `Authorization: Bearer`; browsers with the session cookie.',
      license: { name: 'MIT' },
    },
    servers: [{ url: '/' }],
  });
  return {
    ...description,
    components: {
      ...description.components,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}
