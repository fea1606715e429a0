// `lectern ask`: the answer as it comes, and what it rests on below.
import { Command } from 'commander';
import { Invalid, Upstream } from '../errors.ts';
import { askLibrary, askLimits, type Done } from '../search/answer/ask-library.ts';
import type { Passage } from '../search/answer/find-passages.ts';
import type { Meaning } from '../search/meaning/meaning.ts';
import { withoutUnseen } from '../search/without-unseen.ts';
import { openAskModel } from './ask-model.ts';
import { withMeaning } from './meaning.ts';
import { type Opened, type Runtime, withStore } from './runtime.ts';
import { searchSources } from './search-sources.ts';
import { getUserOrOwner } from './user.ts';

interface AskOptions {
  readonly user?: string;
  readonly json?: boolean;
}

export function askCommand(runtime: Runtime): Command {
  return new Command('ask')
    .description(
      'Ask the library. With a language model (AI_TYPE) it answers; without one it shows passages.',
    )
    .argument('<words...>', 'the question')
    .option('--user <name>', 'whose library it is (default: the owner)')
    .option('--json', 'print {answer, sources, citations, answered, notice}')
    .action((words: readonly string[], options: AskOptions) => {
      const q = words.join(' ').trim();
      if (q === '' || q.length > askLimits.question)
        throw new Invalid(`the question: expected 1 to ${askLimits.question} characters`);
      return withStore(runtime, (opened) =>
        withMeaning(runtime, opened, (meaning) => ask(runtime, opened, { q, meaning }, options)),
      );
    });
}

async function ask(
  runtime: Runtime,
  opened: Opened,
  { q, meaning }: { readonly q: string; readonly meaning: Meaning | undefined },
  options: AskOptions,
): Promise<void> {
  const { store, library, log } = opened;
  const user = await getUserOrOwner(store, options.user);
  const { model, close } = openAskModel(runtime, opened);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  const print = (text: string) => !options.json && runtime.stdout.write(text);
  let answer = '';
  let sources: readonly Passage[] = [];
  let done: Done | undefined;
  try {
    const events = askLibrary(
      {
        ...{
          store,
          sources: searchSources(store, library.files),
          model,
          randomText: runtime.randomText,
          now: runtime.now,
          meaning,
        },
        onFailure: (err) => log.debug({ err }, 'a model did not answer'),
      },
      { userId: user.id, q, limit: askLimits.usual },
      stop.signal,
    );
    for await (const { event, data } of events) {
      if (event === 'sources') sources = data.sources;
      else if (event === 'done') done = data;
      else if (event === 'error') throw new Upstream(data.message);
      else {
        answer += data.text;
        print(data.text);
      }
    }
    stop.signal.throwIfAborted();
  } finally {
    process.off('SIGINT', onSignal);
    if (answer !== '') print('\n');
    await close();
  }
  if (options.json) {
    runtime.stdout.write(`${JSON.stringify({ answer, sources, ...done }, null, 2)}\n`);
    return;
  }
  if (done?.notice) print(`${answer === '' ? '' : '\n'}${done.notice}\n`);
  print(sources.map((one) => sourceLine(one, answer === '')).join(''));
}

function sourceLine({ n, title, url, text }: Passage, withText: boolean): string {
  const line = `\n[${n}] ${withoutUnseen(title).replace(/\s+/g, ' ')}${url === '' ? '' : `\n    ${withoutUnseen(url)}`}\n`;
  return withText ? `${line}    ${text.replace(/\s+/g, ' ')}\n` : line;
}
