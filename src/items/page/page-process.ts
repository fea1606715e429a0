// Reads pages in processes of their own, so that one bad page harms nothing but itself: not the job beside it, not the
// worker, not the page behind it.
import { TemporaryFailure } from '../../errors.ts';
import { type After, afterTimeout } from '../../outbound/limits.ts';
import { PageChild, type PageChildOptions, UnreadablePage } from './page-child.ts';
import type { PageReply, PageRequest } from './page-messages.ts';
import type { FetchedPage, PageCopy } from './read-page.ts';

export { UnreadablePage } from './page-child.ts';

export interface PageProcessOptions {
  readonly script?: URL;
  readonly after?: After;
  /** How many pages are read at the same time. */
  readonly children?: number;
  readonly timeLimitMs?: number;
  /** What JavaScript may have, and the process as a whole. */
  readonly maxHeapMb?: number;
  readonly maxRssMb?: number;
  /** A process that has had nothing to do for so long is ended. */
  readonly idleMs?: number;
}

export interface PageProcess {
  /** Rejects with UnreadablePage if the page is at fault, with TemporaryFailure if another attempt may succeed. */
  read(page: FetchedPage): Promise<PageCopy>;
  /** Undefined if it is no image that could stand for a page. Rejects as `read` does. */
  thumbnail(bytes: Uint8Array): Promise<Uint8Array | undefined>;
  /** Whatever has not ended by then fails with TemporaryFailure. */
  close(): Promise<void>;
}

interface Waiting {
  readonly request: PageRequest;
  readonly resolve: (reply: PageReply) => void;
  readonly reject: (error: Error) => void;
}

export function createPageProcess({
  script = new URL('./page-process-child.ts', import.meta.url),
  after = afterTimeout,
  children = 1,
  timeLimitMs = 30_000,
  maxHeapMb = 512,
  maxRssMb = 768,
  idleMs = 60_000,
}: PageProcessOptions = {}): PageProcess {
  const childOptions: PageChildOptions = { script, after, timeLimitMs, maxHeapMb, maxRssMb };
  const waiting: Waiting[] = [];
  const running = new Set<PageChild>();
  /** With what ends the wait of each. */
  const idle = new Map<PageChild, () => void>();
  let closed = false;

  return {
    async read(page) {
      const reply = await ask({ read: page });
      if (!('copy' in reply)) throw new Error('a page was asked for and none was given');
      return reply.copy;
    },
    async thumbnail(bytes) {
      const reply = await ask({ thumbnail: bytes });
      return 'thumbnail' in reply ? reply.thumbnail : undefined;
    },
    async close() {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(stopping());
      const all = [...running];
      for (const child of all) {
        letGo(child);
        child.end(stopping());
      }
      await Promise.all(all.map((child) => child.ended));
    },
  };

  async function ask(request: PageRequest): Promise<PageReply> {
    if (closed) throw stopping();
    const reply = await new Promise<PageReply>((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      next();
    });
    if ('failed' in reply) {
      const subject = 'read' in request ? 'page' : 'image';
      throw new UnreadablePage(`The ${subject} cannot be read.`, { cause: new Error(reply.failed) });
    }
    return reply;
  }

  function next(): void {
    while (waiting.length > 0) {
      const child = [...idle.keys()].find((one) => one.isUsable) ?? start();
      if (!child) return;
      letGo(child);
      const one = waiting.shift();
      if (one) void work(child, one);
    }
  }

  function start(): PageChild | undefined {
    if (running.size >= children) return undefined;
    const child = new PageChild(childOptions);
    running.add(child);
    void child.ended.then(() => {
      running.delete(child);
      letGo(child);
      next();
    });
    return child;
  }

  async function work(child: PageChild, { request, resolve, reject }: Waiting): Promise<void> {
    try {
      const reply = await child.run(request);
      // One that has grown would take the blame of the next page's hunger.
      if (reply.rssBytes > (maxRssMb * 1024 * 1024) / 2) child.end(stopping());
      else wait(child);
      resolve(reply);
    } catch (error) {
      reject(error as Error);
    }
    next();
  }

  function wait(child: PageChild): void {
    if (closed || !child.isUsable) return;
    idle.set(
      child,
      after(idleMs, () => {
        idle.delete(child);
        child.end(stopping());
      }),
    );
  }

  function letGo(child: PageChild): void {
    idle.get(child)?.();
    idle.delete(child);
  }
}

function stopping(): TemporaryFailure {
  return new TemporaryFailure('The process that reads pages is being ended.');
}
