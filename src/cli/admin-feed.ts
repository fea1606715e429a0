// `lectern admin feed`: the feeds of the deframer, added, switched, listed and run.
import { setTimeout as wait } from 'node:timers/promises';
import { Argument, Command, Option } from 'commander';
import { addFeed } from '../deframer/add-feed.ts';
import { Invalid } from '../errors.ts';
import type { DeframerFeed, DeframerFeedState } from '../model/deframer.ts';
import type { DeframerFeedChange, DeframerFeedStore } from '../store/deframer/deframer-feed-store.ts';
import { printFeeds } from './admin-feed-list.ts';
import { readPrompt, shownPrompt } from './admin-feed-prompt.ts';
import { getDeframerFeed } from './find-deframer-feed.ts';
import { type Runtime, withStore } from './runtime.ts';
import { printable } from './table.ts';
import { watchRun } from './watch-run.ts';

export function feedArgument(): Argument {
  return new Argument('<feed>', 'its address, its id, or 6 or more digits that its id begins with');
}

export function adminFeedCommand(runtime: Runtime): Command {
  const command = new Command('feed').description('The feeds of the deframer.');
  addCommands(runtime, command);
  switchCommands(runtime, command);
  runCommands(runtime, command);
  promptCommand(runtime, command);
  return command;
}

function addCommands(runtime: Runtime, command: Command): void {
  command
    .command('add')
    .description('Add a feed, neither enabled nor scheduled.')
    .argument('<url>', 'the http(s) address of the feed')
    .option('--no-root-domain', 'do not group its articles by the domain of the address')
    .option('--no-enforce-domain', 'keep articles that are on another host than the feed')
    .action(async (url: string, options: { rootDomain: boolean; enforceDomain: boolean }) => {
      const { randomText } = runtime;
      const feed = await withFeeds(runtime, (deframerFeeds) =>
        addFeed(
          { deframerFeeds, randomText },
          { url, withRootDomain: options.rootDomain, enforceFeedDomain: options.enforceDomain },
        ),
      );
      say(
        runtime,
        `Added ${printable(feed.url)}\nas ${feed.id}.`,
        `Enable it: ${commandFor('enable', feed)}`,
      );
    });

  command
    .command('delete')
    .description('Delete a feed: it is not fetched or served any more. What was found out is kept.')
    .addArgument(feedArgument())
    .action(async (text: string) => {
      const feed = await withFeed(runtime, text, (feeds, { id }) => feeds.remove(id));
      say(runtime, `Deleted ${printable(feed.url)}.`, 'What was found out is kept, and not served any more.');
    });

  command
    .command('list')
    .description('List feeds, in the order in which they were added.')
    .option('--deleted', 'those that were deleted')
    .option('--json', 'print [{id, url, enabled, polling, root_domain, next_run_at, last_error}]')
    .action(async ({ deleted = false, json = false }: { deleted?: boolean; json?: boolean }) => {
      const feeds = await withFeeds(runtime, (store) => store.list({ deleted }));
      printFeeds(runtime, feeds, { json, deleted });
    });
}

function switchCommands(runtime: Runtime, command: Command): void {
  command
    .command('enable')
    .description('Let a feed be fetched and served. This does not schedule a run: "sync" does.')
    .addArgument(feedArgument())
    .action(async (text: string) => {
      const feed = await change(runtime, text, { enabled: true });
      say(
        runtime,
        `Enabled ${printable(feed.url)}. This does not schedule a run.`,
        `Run it: ${commandFor('sync', feed)}`,
      );
    });

  command
    .command('disable')
    .description(
      'Stop a feed from being fetched and served, at once. Its schedule is kept and has no effect.',
    )
    .addArgument(feedArgument())
    .action(async (text: string) => {
      const feed = await change(runtime, text, { enabled: false });
      say(runtime, `Disabled ${printable(feed.url)}. It is not served, and no worker takes it.`);
    });

  command
    .command('polling')
    .description('Say whether a run that succeeded is followed by another.')
    .addArgument(feedArgument())
    .addArgument(new Argument('<on>', 'whether it is').choices(['true', 'false']))
    .action(async (text: string, on: 'true' | 'false') => {
      const feed = await change(runtime, text, { polling: on === 'true' });
      const url = printable(feed.url);
      if (feed.polling)
        say(
          runtime,
          `${url} is run again after each run that succeeds.`,
          `Begin: ${commandFor('sync', feed)}`,
        );
      else say(runtime, `${url} is run once each time it is told to.`);
    });

  command
    .command('enforce-domain')
    .description('Say whether articles on another host than the feed are left out.')
    .addArgument(feedArgument())
    .addArgument(new Argument('<on>', 'whether they are').choices(['true', 'false']))
    .action(async (text: string, on: 'true' | 'false') => {
      const feed = await change(runtime, text, { enforceFeedDomain: on === 'true' });
      const rule = feed.enforceFeedDomain ? 'are left out' : 'are kept';
      say(
        runtime,
        `Articles of ${printable(feed.url)} that are on another host ${rule}.`,
        `Run it: ${commandFor('sync', feed)}`,
      );
    });
}

function runCommands(runtime: Runtime, command: Command): void {
  command
    .command('sync')
    .description('Run a feed at once, whatever happened before. It must be enabled.')
    .addArgument(feedArgument())
    .option('--wait', 'until the run has ended; exits with 1 if it failed')
    .addOption(
      new Option('--timeout <seconds>', 'wait no longer than this').default('600').implies({ wait: true }),
    )
    .action(async (text: string, options: { wait?: boolean; timeout: string }) => {
      const timeoutMs = parseTimeout(options.timeout) * 1000;
      const said = await withFeed(runtime, text, async (feeds, feed) => {
        if (options.wait) return ended(await syncAndWait(runtime, feeds, { feed, timeoutMs }));
        await sync(feeds, feed);
        return scheduled(feed);
      });
      say(runtime, ...said);
    });
}

function promptCommand(runtime: Runtime, command: Command): void {
  command
    .command('prompt')
    .description('Show what the model is told about the articles of a feed, where that is not the usual.')
    .addArgument(feedArgument())
    .option('--file <file>', 'set it to the text of this file; - reads standard input')
    .addOption(new Option('--clear', 'go back to the usual one').conflicts('file'))
    .action(async (text: string, { file, clear }: { file?: string; clear?: boolean }) => {
      const prompt = file === undefined ? undefined : await readPrompt(runtime, file);
      if (prompt === undefined && !clear) return showPrompt(runtime, text);
      const { url } = await change(runtime, text, { prompt: prompt ?? null });
      say(
        runtime,
        `${printable(url)} has ${prompt === undefined ? 'the usual prompt' : 'a prompt of its own'}.`,
      );
    });
}

async function showPrompt(runtime: Runtime, text: string): Promise<void> {
  const { prompt, url } = await withFeed(runtime, text, async (_feeds, feed) => feed);
  say(
    runtime,
    prompt === null
      ? `${printable(url)} has no prompt of its own: the one for its language is used.`
      : shownPrompt(prompt).replace(/\n$/, ''),
  );
}

async function sync(feeds: DeframerFeedStore, feed: DeframerFeed): Promise<void> {
  if (feed.deletedAt === null && !feed.enabled)
    throw new Invalid(`the feed is disabled: enable it first, with: ${commandFor('enable', feed)}`);
  await feeds.sync(feed.id);
}

async function syncAndWait(
  { now, stderr }: Runtime,
  feeds: DeframerFeedStore,
  { feed, timeoutMs }: { feed: DeframerFeed; timeoutMs: number },
): Promise<DeframerFeedState> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  const pause = (ms: number) => wait(ms, undefined, { signal: stop.signal });
  try {
    const before = await feeds.get(feed.id);
    await sync(feeds, feed);
    // A run that was under way may have ended until then; it cannot any more. Otherwise one may have come and gone by now.
    const { id, lastRunAt } = before.isRunning ? await feeds.get(feed.id) : before;
    return await watchRun({ feeds, now, pause, stderr }, { id, lastRunAt, timeoutMs });
  } finally {
    process.off('SIGINT', onSignal);
  }
}

function scheduled(feed: DeframerFeed): string[] {
  return [
    `${printable(feed.url)} is due now: a running worker takes it.`,
    'See what came of it: lectern admin feed list',
  ];
}

function ended({ url, items, lastNote }: DeframerFeedState): string[] {
  const articles = items === 1 ? '1 article is kept.' : `${items} articles are kept.`;
  return [`${printable(url)} was run. ${articles}`, ...(lastNote === null ? [] : [printable(lastNote)])];
}

function withFeeds<T>(runtime: Runtime, work: (feeds: DeframerFeedStore) => Promise<T>): Promise<T> {
  return withStore(runtime, ({ store }) => work(store.deframerFeeds));
}

function withFeed<T>(
  runtime: Runtime,
  text: string,
  work: (feeds: DeframerFeedStore, feed: DeframerFeed) => Promise<T>,
): Promise<T> {
  return withFeeds(runtime, async (feeds) => work(feeds, await getDeframerFeed(feeds, text)));
}

function change(runtime: Runtime, text: string, changed: DeframerFeedChange): Promise<DeframerFeed> {
  return withFeed(runtime, text, (feeds, { id }) => feeds.change(id, changed));
}

function parseTimeout(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= 86_400) return seconds;
  throw new Invalid(
    `--timeout: expected a whole number of seconds from 1 to 86400, got "${printable(text)}"`,
  );
}

/** To be copied into a shell, to which an ampersand means something. */
export function commandFor(name: string, { url }: DeframerFeed): string {
  const word = printable(url);
  const isPlain = /^[\w@%+=:,./~-]+$/.test(word);
  return `lectern admin feed ${name} ${isPlain ? word : `'${word.replaceAll("'", "'\\''")}'`}`;
}

function say({ stdout }: Runtime, ...lines: string[]): void {
  stdout.write(`${lines.join('\n')}\n`);
}
