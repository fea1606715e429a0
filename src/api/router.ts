// How every route is made. A route says who may call it by the method it is added with, and cannot be added
// without saying so; the check runs before its input is looked at.
import { createRoute, OpenAPIHono, type RouteConfig, type RouteHandler } from '@hono/zod-openapi';
import type { Context, Handler, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { TrieRouter } from 'hono/router/trie-router';
import { Forbidden, Invalid, LecternError, Unauthorized } from '../errors.ts';
import { includesScope, type Scope } from '../model/user.ts';
import { changesState, type Gate } from './authenticate.ts';
import type { Actor, ApiEnv } from './context.ts';
import { invalidInput } from './error-response.ts';
import { holdAnonymous, holdBodyOf } from './hold-body.ts';
import { errorResponses } from './schemas.ts';

/** `account`: a user's own account and tokens. `app`: for reader apps, which log in each in its own way. */
export type Access = 'open' | 'user' | 'account' | 'owner' | 'app';

export interface RouteEntry {
  readonly method: string;
  /** As OpenAPI writes it: /api/groups/{id} */
  readonly path: string;
  readonly access: Access;
  readonly scope: NeededScope;
}

/** The scope that a token needs. `handler`: every token passes, and the handler checks each part of the request. */
export type NeededScope = Scope | 'handler';

/** How a protocol of reader apps knows who is asking, and what its refusals look like. */
export interface AppProtocol {
  /** Throws Unauthorized. */
  identify(c: Context<ApiEnv>): Promise<Actor>;
  refuse(c: Context<ApiEnv>, error: LecternError): Response;
}

export interface AppRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** `{name*}` takes the rest of the path, slashes and all. */
  readonly path: string;
  readonly scope: NeededScope;
  readonly maxBodyBytes?: number;
}

const usualBodyBytes = 1024 * 1024;

export interface RouteOptions {
  readonly maxBodyBytes?: number;
  /** Where the access and the method do not give the scope that a token needs, such as a POST that changes nothing. */
  readonly scope?: Scope;
  /** The handler has a large body checked outside this thread. Its schema is for the API's description alone. */
  readonly parsesBody?: true;
}

export class Router {
  readonly app = new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalidInput(result.error);
    },
  });
  readonly entries: RouteEntry[] = [];
  readonly #gate: Gate;
  readonly #methods = new TrieRouter<string>();

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** For everybody, logged in or not. */
  open<R extends RouteConfig>(spec: R, handler: RouteHandler<R, ApiEnv>): void {
    this.#add('open', spec, handler);
  }

  /** For every user. A token needs the scope `read` for GET and `write` for other methods, unless the options name another. */
  user<R extends RouteConfig>(spec: R, handler: RouteHandler<R, ApiEnv>, options?: RouteOptions): void {
    this.#add('user', spec, handler, options);
  }

  /** For the account of every user. A token needs the scope `admin`. */
  account<R extends RouteConfig>(spec: R, handler: RouteHandler<R, ApiEnv>): void {
    this.#add('account', spec, handler);
  }

  /** For the owner alone. A token needs the scope `admin`, unless the options name another. */
  owner<R extends RouteConfig>(spec: R, handler: RouteHandler<R, ApiEnv>, options?: RouteOptions): void {
    this.#add('owner', spec, handler, options);
  }

  /** A page or file, which the API's description leaves out. */
  page(access: Access, path: string, handler: Handler<ApiEnv>): void {
    const entry = this.#note({ method: 'get', path, access, scope: usualScope(access, 'get') });
    this.app.get(toHonoPath(path), this.#guard(entry), handler);
  }

  /** Of a protocol that is not ours: its bodies are read whatever they are called, and its answers have its own forms. */
  readerApp(
    protocol: AppProtocol,
    { method, path, scope, maxBodyBytes }: AppRoute,
    handler: Handler<ApiEnv>,
  ): void {
    this.#note({ method, path, access: 'app', scope });
    const guard: MiddlewareHandler<ApiEnv> = async (c, next) => {
      c.set('route', path);
      const actor = await protocol.identify(c);
      requireScope(actor, scope);
      c.set('actor', actor);
      await next();
    };
    this.app.on(
      method.toUpperCase(),
      toHonoPath(path),
      this.#refusals(protocol),
      guard,
      holdBodyOf(maxBodyBytes ?? usualBodyBytes),
      this.#requireLogin,
      handler,
    );
  }

  /** The methods that some route takes at this path. */
  methodsAt(path: string): string[] {
    const [matches] = this.#methods.match('ALL', path);
    return [...new Set(matches.map(([method]) => method.toUpperCase()))].sort();
  }

  #add<R extends RouteConfig>(
    access: Access,
    spec: R,
    handler: RouteHandler<R, ApiEnv>,
    { maxBodyBytes = usualBodyBytes, scope = usualScope(access, spec.method), parsesBody }: RouteOptions = {},
  ): void {
    const entry = this.#note({ method: spec.method, path: spec.path, access, scope });
    const bodyTypes = Object.keys(spec.request?.body?.content ?? {});
    const takesBody = bodyTypes.length > 0;
    const takesJson = bodyTypes.includes('application/json');
    const route = createRoute({
      ...spec,
      security: access === 'open' ? [] : [{ session: [] }, { token: [] }],
      responses: { ...errorResponses({ access, path: spec.path, takesBody, takesJson }), ...spec.responses },
      middleware: [
        this.#guard(entry),
        ...(takesJson ? [requireJson] : []),
        ...(takesBody
          ? access === 'open'
            ? [holdAnonymous]
            : [holdBodyOf(maxBodyBytes), this.#requireLogin]
          : []),
        ...(takesJson && !parsesBody ? [requireUtf8] : []),
      ],
    });
    if (!parsesBody) {
      this.app.openapi(route as unknown as R, handler as never);
      return;
    }
    const { body: _, ...request } = spec.request ?? {};
    const { middleware: __, ...described } = route;
    this.app.openAPIRegistry.registerPath(described as RouteConfig);
    this.app.openapi({ ...route, request, hide: true } as unknown as R, handler as never);
  }

  #note(entry: RouteEntry): RouteEntry {
    this.entries.push(entry);
    this.#methods.add('ALL', toHonoPath(entry.path), entry.method);
    return entry;
  }

  #refusals({ refuse }: AppProtocol): MiddlewareHandler<ApiEnv> {
    return async (c, next) => {
      await next();
      const { error } = c;
      if (!(error instanceof LecternError) || error.status >= 500) return;
      // Else the headers of our own answer would stay.
      c.res = undefined;
      c.res = refuse(c, error);
    };
  }

  /** A body can take minutes to arrive, and the login may have ended meanwhile. */
  #requireLogin: MiddlewareHandler<ApiEnv> = async (c, next) => {
    if (c.req.raw.body && !(await this.#gate.isLoggedIn(c))) throw new Unauthorized();
    await next();
  };

  #guard({ access, path, scope }: RouteEntry): MiddlewareHandler<ApiEnv> {
    return async (c, next) => {
      c.set('route', path);
      if (access !== 'open') {
        const actor = await this.#gate.getActor(c);
        if (access === 'owner' && actor.user.role !== 'owner')
          throw new Forbidden('only the owner may do this');
        requireScope(actor, scope);
        c.set('actor', actor);
      }
      await next();
    };
  }
}

function usualScope(access: Access, method: string): Scope {
  if (access === 'owner' || access === 'account') return 'admin';
  return changesState(method.toUpperCase()) ? 'write' : 'read';
}

function requireScope(actor: Actor, needed: NeededScope): void {
  if (needed === 'handler' || includesScope(actor.scope, needed)) return;
  throw new Forbidden(
    needed === 'admin' ? 'use a browser session or a token with scope admin' : 'this token may only read',
  );
}

/** From the form that OpenAPI has. */
function toHonoPath(path: string): string {
  return path.replaceAll(/\{(\w+)(\*?)\}/g, (_, name, rest) => (rest ? `:${name}{.+}` : `:${name}`));
}

/** Bytes that are no text are refused: read leniently, they would be kept as something that nobody wrote. */
const requireUtf8: MiddlewareHandler = async (c, next) => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(await c.req.arrayBuffer());
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new Invalid('the body is not UTF-8', { cause });
  }
  await next();
};

/** A form or plain text cannot pass for JSON: browsers send those across sites without asking first. */
const requireJson: MiddlewareHandler = async (c, next) => {
  const [type = '', ...parameters] = (c.req.header('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((p) => /^\s*charset\s*=\s*"?([\w-]+)"?\s*$/.exec(p)?.[1]).find(Boolean);
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (type.trim() !== 'application/json' || encoding !== 'identity' || (charset ?? 'utf-8') !== 'utf-8') {
    throw new HTTPException(415, {
      message: 'expected a body of Content-Type: application/json, in UTF-8, not compressed',
    });
  }
  await next();
};
