// The API of Fever: one address, and everything in its parameters. Apps send the MD5 of the username and an application
// password, with a colon between them.
import type { Context } from 'hono';
import { Forbidden, type LecternError, Unauthorized } from '../../../errors.ts';
import { includesScope } from '../../../model/user.ts';
import type { ApiDeps, ApiEnv } from '../../context.ts';
import { jsonType } from '../../json-list.ts';
import type { AppProtocol, Router } from '../../router.ts';
import { sendParts } from '../../send-parts.ts';
import type { AppLogin } from '../app-login.ts';
import { readLoginParameters, readParameters } from '../parameters.ts';
import { applyMark } from './apply-mark.ts';
import { apiVersion, feverAnswer } from './fever-answer.ts';
import { parseFeverRequest } from './fever-request.ts';

/** As Fever, Fusion and FreshRSS have it. */
const paths = ['/fever/', '/fever', '/fever.php', '/api/fever.php'];

/** A mark on ten thousand items. */
const maxBodyBytes = 128 * 1024;

export function feverRoutes(router: Router, { now }: ApiDeps, login: AppLogin): void {
  const protocol: AppProtocol = {
    async identify(c) {
      const key = (await readLoginParameters(c, 'api_key')).get('api_key');
      // An app may look for the API before it has anything to log in with: that is no attempt.
      if (!key) throw new Unauthorized();
      return login.byFeverKey(c, key);
    },
    refuse,
  };

  const answer = async (c: Context<ApiEnv>) => {
    const { rows, scope } = c.get('actor');
    const { wanted, items, mark } = parseFeverRequest(await readParameters(c));
    if (mark && !includesScope(scope, 'write')) throw new Forbidden('this token may only read');
    const changed = mark ? [await applyMark({ rows, now }, mark)] : [];
    return sendParts(c, jsonType, feverAnswer(rows, { wanted: new Set([...wanted, ...changed]), items }));
  };

  // Whether a request changes something is not known before its parameters are read, in either method.
  for (const path of paths)
    for (const method of ['get', 'post'] as const)
      router.readerApp(protocol, { method, path, scope: 'handler', maxBodyBytes }, answer);
}

/**
 * Fever has words for one refusal: who is not known is told so, with 200, and so is who has tried too often. Another one is a
 * failure by its status: an app that took it for done would forget the mark.
 */
function refuse(c: Context<ApiEnv>, { status, message }: LecternError): Response {
  if (status === 401 || status === 429) return c.json({ api_version: apiVersion, auth: 0 });
  const auth = c.get('actor') ? 1 : 0;
  return c.json({ api_version: apiVersion, auth, error: message }, status as 400);
}
