// What a request carries on its way through the API.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccountDeps } from '../accounts/deps.ts';
import type { Oidc } from '../accounts/oidc.ts';
import type { FoundFeed } from '../feeds/discover/describe-document.ts';
import type { Files } from '../library/files/files.ts';
import type { FolderStats } from '../library/stats.ts';
import type { Log } from '../log.ts';
import type { Clock, RandomText } from '../model/glossary.ts';
import type { SearchSources } from '../model/search.ts';
import type { Secret } from '../model/secret.ts';
import type { Scope, User } from '../model/user.ts';
import type { OutageLog } from '../outage-log.ts';
import type { Parser } from '../parsing/parser.ts';
import type { Model } from '../search/answer/ask-model.ts';
import type { Meaning } from '../search/meaning/meaning.ts';
import type { OwnFiles } from '../store/research/own-files.ts';
import type { Store, UserRows } from '../store/store.ts';
import type { Client, ClientRules } from './client.ts';
import type { Metrics } from './metrics.ts';
import type { WebApp } from './pages/web-app.ts';

export interface ApiDeps {
  readonly store: Store;
  readonly accounts: AccountDeps;
  /** Single sign-on, where it is set up. */
  readonly oidc: Oidc | undefined;
  readonly client: ClientRules;
  readonly corsAllowedOrigins: readonly string[];
  readonly log: Log;
  readonly metrics: Metrics;
  readonly randomText: RandomText;
  readonly version: string;
  readonly now: Clock;
  /** True while this process drains: it still serves, and clients are to go to another one. */
  readonly isStopping: () => boolean;
  /** Whether the index and the library answer, as far as this process has noticed. */
  readonly isUp: OutageLog['isUp'];
  readonly webApp: WebApp;
  /** Parses documents of strangers, outside this thread. */
  readonly parser: Pick<Parser, 'parse'>;
  /** The feeds of an address, found by asking it. */
  readonly discoverFeeds: (address: string) => Promise<readonly FoundFeed[]>;
  /** Of the library: kept copies and pictures. */
  readonly files: Pick<Files, 'read'>;
  /** Paths that no other program's database may have. */
  readonly ownFiles: OwnFiles;
  /** The account that is mirrored. */
  readonly raindrop: { readonly token: Secret | undefined; readonly apiUrl: string };
  readonly measureLibrary: () => Promise<readonly FolderStats[]>;
  readonly deframer: DeframerSettings;
  /** The texts of what a search finds. */
  readonly searchSources: SearchSources;
  /** Finds by meaning, where that is on. */
  readonly meaning?: Meaning | undefined;
  readonly embeddings: { readonly kind: 'local' | 'openai' | 'off' };
  /** What answers questions; undefined where no language model is set up. */
  readonly askModel: Model | undefined;
  /** How many questions each member may ask in a day. */
  readonly askPerDay: number;
}

export interface DeframerSettings {
  /** Whether anybody may read what it serves, without logging in. */
  readonly open: boolean;
  readonly intervalMs: number;
  /** How many articles a feed has at most. */
  readonly items: number;
  readonly analyzer: { readonly type: string; readonly model: string };
}

/** Who is asking, and the rows that are theirs. */
export interface Actor {
  readonly user: User;
  readonly scope: Scope;
  readonly via: 'session' | 'token';
  /** Of a token. */
  readonly tokenId?: number;
  readonly rows: UserRows;
}

export interface ApiEnv {
  Bindings: { incoming?: IncomingMessage; outgoing?: ServerResponse };
  Variables: {
    requestId: string;
    /** The pattern of the route that answers, for logs and metrics. */
    route?: string;
    client: Client;
    /** There on every route but the open ones. */
    actor: Actor;
  };
}
