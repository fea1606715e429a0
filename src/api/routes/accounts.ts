// One's own account, its tokens, and for the owner the list of users.
import { z } from '@hono/zod-openapi';
import { getCookie } from 'hono/cookie';
import { endOtherSessions, startSession } from '../../accounts/sessions.ts';
import { createToken } from '../../accounts/tokens.ts';
import { addMember, changePassword, setDisabled, setMemberPassword } from '../../accounts/users.ts';
import { scopes, type Token, type User } from '../../model/user.ts';
import { type Gate, sessionCookie } from '../authenticate.ts';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { ErrorBody, idParam, json, jsonBody, nameText, seconds, toSeconds } from '../schemas.ts';

const UserBody = z
  .object({
    id: z.int(),
    username: z.string(),
    role: z.enum(['owner', 'member']),
    disabled: z.boolean().openapi({ description: 'Whether the owner has disabled the account' }),
    created_at: seconds,
  })
  .openapi('User');

const ListedUserBody = UserBody.extend({
  tokens: z.int().openapi({ description: 'How many tokens the user has' }),
}).openapi('ListedUser');

const UserChange = z
  .object({ disabled: z.boolean().openapi({ description: 'true: sessions end, tokens are refused' }) })
  .openapi('UserChange');

const MeBody = UserBody.extend({
  sessions: z.int().openapi({ description: 'In how many browsers you are logged in' }),
}).openapi('Me');

const TokenBody = z
  .object({ id: z.int(), name: z.string(), scope: z.enum(scopes), created_at: seconds })
  .openapi('Token');

const TokenInput = z.object({ name: nameText(100), scope: z.enum(scopes) }).openapi('TokenInput');

const UserInput = z
  .object({ username: z.string().max(200), password: z.string().max(1000) })
  .openapi('UserInput');

const PasswordInput = z
  .object({ current_password: z.string().max(1000), password: z.string().max(1000) })
  .openapi('PasswordInput');

const MemberPasswordInput = z
  .object({
    password: z.string().max(1000),
    keep_tokens: z
      .boolean()
      .default(false)
      .openapi({ description: 'Leave the tokens of the member valid; without it they are revoked' }),
  })
  .openapi('MemberPasswordInput');

const tags = ['accounts'];

export function accountRoutes(router: Router, deps: ApiDeps, gate: Gate): void {
  router.user(
    {
      method: 'get',
      path: '/api/me',
      tags,
      summary: 'Who you are',
      responses: { 200: json(z.object({ data: MeBody }), 'You') },
    },
    async (c) => {
      const { user } = c.get('actor');
      const sessions = await deps.store.credentials.countSessions(user.id);
      return c.json({ data: { ...toUserBody(user), sessions } }, 200);
    },
  );

  router.account(
    {
      method: 'put',
      path: '/api/me/password',
      tags,
      summary: 'Change your password; every session of yours ends, and this browser gets a new one',
      request: { body: jsonBody(PasswordInput) },
      responses: { 204: { description: 'Changed' }, 429: json(ErrorBody, 'Too many attempts') },
    },
    async (c) => {
      const { user, via } = c.get('actor');
      const { current_password: current, password } = c.req.valid('json');
      await changePassword(deps.accounts, user, { current, password });
      if (via === 'session') gate.setSessionCookie(c, (await startSession(deps.accounts, user)).secret);
      return c.body(null, 204);
    },
  );

  router.account(
    {
      method: 'delete',
      path: '/api/me/sessions',
      tags,
      summary: 'Log out everywhere else; this browser stays logged in, and so do programs',
      responses: { 204: { description: 'Logged out' } },
    },
    async (c) => {
      const { user, via } = c.get('actor');
      await endOtherSessions(
        deps.accounts,
        user,
        via === 'session' ? getCookie(c, sessionCookie) : undefined,
      );
      return c.body(null, 204);
    },
  );

  router.account(
    {
      method: 'get',
      path: '/api/tokens',
      tags,
      summary: 'List your tokens, without their secrets',
      responses: { 200: json(z.object({ data: z.array(TokenBody), total: z.int() }), 'Your tokens') },
    },
    async (c) => {
      const tokens = await c.get('actor').rows.tokens.list();
      return c.json({ data: tokens.map(toTokenBody), total: tokens.length }, 200);
    },
  );

  router.account(
    {
      method: 'post',
      path: '/api/tokens',
      tags,
      summary: 'Make a token; its secret is shown this once',
      request: { body: jsonBody(TokenInput) },
      responses: { 200: json(z.object({ data: TokenBody.extend({ token: z.string() }) }), 'The token') },
    },
    async (c) => {
      const { user, tokenId } = c.get('actor');
      const input = { ...c.req.valid('json'), createdBy: tokenId };
      const { token, secret } = await createToken(deps.accounts, user, input);
      return c.json({ data: { ...toTokenBody(token), token: secret } }, 200);
    },
  );

  router.account(
    {
      method: 'delete',
      path: '/api/tokens/{id}',
      tags,
      summary: 'Revoke a token, and the tokens it created',
      request: { params: idParam },
      responses: { 204: { description: 'Revoked' } },
    },
    async (c) => {
      await c.get('actor').rows.tokens.delete(c.req.valid('param').id);
      return c.body(null, 204);
    },
  );

  router.owner(
    {
      method: 'get',
      path: '/api/users',
      tags,
      summary: 'List the users',
      responses: { 200: json(z.object({ data: z.array(ListedUserBody), total: z.int() }), 'The users') },
    },
    async (c) => {
      const users = await deps.store.users.list();
      const tokens = await deps.store.users.countTokens();
      const data = users.map((user) => ({ ...toUserBody(user), tokens: tokens.get(user.id) ?? 0 }));
      return c.json({ data, total: users.length }, 200);
    },
  );

  router.owner(
    {
      method: 'post',
      path: '/api/users',
      tags,
      summary: 'Add a member',
      request: { body: jsonBody(UserInput) },
      responses: {
        200: json(z.object({ data: UserBody }), 'The user'),
        409: json(ErrorBody, 'The name is taken'),
      },
    },
    async (c) => c.json({ data: toUserBody(await addMember(deps.accounts, c.req.valid('json'))) }, 200),
  );

  router.owner(
    {
      method: 'patch',
      path: '/api/users/{id}',
      tags,
      summary: 'Disable or enable a member; nothing of theirs is deleted',
      description:
        'A disabled member is logged out at once, their tokens are refused, and their feeds are not fetched. Their tokens work again when they are enabled.',
      request: { params: idParam, body: jsonBody(UserChange) },
      responses: { 200: json(z.object({ data: UserBody }), 'The user') },
    },
    async (c) => {
      const { disabled } = c.req.valid('json');
      return c.json(
        { data: toUserBody(await setDisabled(deps.accounts, c.req.valid('param').id, disabled)) },
        200,
      );
    },
  );

  router.owner(
    {
      method: 'put',
      path: '/api/users/{id}/password',
      tags,
      summary: "Set a member's password; every session of theirs ends, and every token is revoked",
      request: { params: idParam, body: jsonBody(MemberPasswordInput) },
      responses: { 204: { description: 'Set' } },
    },
    async (c) => {
      const { password, keep_tokens: keepTokens } = c.req.valid('json');
      await setMemberPassword(deps.accounts, c.req.valid('param').id, { password, keepTokens });
      return c.body(null, 204);
    },
  );
}

function toUserBody(user: User) {
  return {
    id: user.id,
    username: user.username,
    role: user.role,
    disabled: user.disabledAt !== undefined,
    created_at: toSeconds(user.createdAt),
  };
}

function toTokenBody(token: Token) {
  return { id: token.id, name: token.name, scope: token.scope, created_at: toSeconds(token.createdAt) };
}
