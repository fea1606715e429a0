// The first run: whoever has the link from the console becomes the owner.
import { z } from '@hono/zod-openapi';
import { startSession } from '../../accounts/sessions.ts';
import { completeSetup, isSetupDone } from '../../accounts/setup.ts';
import type { Gate } from '../authenticate.ts';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { ErrorBody, json, jsonBody } from '../schemas.ts';

const SetupInput = z
  .object({
    token: z.string().min(1).max(200).openapi({ description: 'From the setup link on the console' }),
    username: z.string().max(200).optional().openapi({ description: 'By default: owner' }),
    password: z.string().max(1000),
  })
  .openapi('SetupInput');

const path = '/api/setup';
const tags = ['setup'];

export function setupRoutes(router: Router, deps: ApiDeps, gate: Gate): void {
  router.open(
    {
      method: 'get',
      path,
      tags,
      summary: 'Whether this Lectern has its owner yet',
      responses: { 200: json(z.object({ data: z.object({ done: z.boolean() }) }), 'The state of the setup') },
    },
    async (c) => c.json({ data: { done: await isSetupDone(deps.accounts) } }, 200),
  );

  router.open(
    {
      method: 'post',
      path,
      tags,
      summary: 'Make the owner with the one-time link, and log in',
      request: { body: jsonBody(SetupInput) },
      responses: {
        200: json(z.object({ data: z.object({ username: z.string() }) }), 'The owner is made and logged in'),
        403: json(ErrorBody, 'The link is not valid'),
        409: json(ErrorBody, 'There is an owner already'),
      },
    },
    async (c) => {
      gate.refuseForeignPage(c);
      const { token, username, password } = c.req.valid('json');
      const owner = await completeSetup(deps.accounts, { secret: token, username, password });
      const session = await startSession(deps.accounts, owner);
      await gate.setLoginCookies(c, owner, session.secret);
      return c.json({ data: { username: owner.username } }, 200);
    },
  );
}
