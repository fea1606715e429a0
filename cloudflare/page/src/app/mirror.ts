// The state of the mirror, and the two things that can be asked of it.
import { ask, type MirrorStatus, post } from './api.ts';
import { sayNumber, timeElement } from './dates.ts';
import { button, make } from './dom.ts';

export interface MirrorOptions {
  readonly onProblem: (error: unknown) => void;
}

export async function makeMirror(options: MirrorOptions): Promise<HTMLElement> {
  const facts = make('dl', { class: 'facts' });
  const said = make('p', { class: 'said', role: 'status' });
  const load = async () => facts.replaceChildren(...factsOf(await ask<MirrorStatus>('/api/mirror')));
  const act = async (action: () => Promise<string>) => {
    try {
      said.textContent = await action();
      await load();
    } catch (error) {
      said.textContent = error instanceof Error ? error.message : String(error);
      options.onProblem(error);
    }
  };
  await load();
  const embeddings = make('input', { type: 'checkbox' });
  return make(
    'section',
    { class: 'mirror' },
    make('h2', { class: 'item-title' }, 'State of the mirror'),
    facts,
    make(
      'div',
      { class: 'actions' },
      confirmed({
        name: 'Run now',
        question: 'Ask Raindrop now for what is new? It is asked once a day by itself.',
        onYes: () => act(runNow),
      }),
      confirmed({
        name: 'Rebuild the index',
        question: 'Read every stored text again? Nothing is lost; search is incomplete until it is done.',
        extra: make('label', { class: 'choice' }, embeddings, 'Search by meaning too'),
        onYes: () => act(() => rebuild(embeddings.checked)),
      }),
    ),
    said,
  );
}

async function runNow(): Promise<string> {
  const { started } = await post<{ started: boolean }>('/api/mirror/run', {});
  return started ? 'A run has begun.' : 'A run is under way already.';
}

async function rebuild(rag: boolean): Promise<string> {
  await post('/api/mirror/reinflate', { rag });
  return 'The index is being rebuilt. It takes a few minutes.';
}

function factsOf({ raindrops, cursor, schedule, run, reinflate }: MirrorStatus): HTMLElement[] {
  const isRunning = run?.phase !== undefined && run.phase !== 'idle';
  const broken = reinflate?.problems ?? [];
  return [
    ...fact('Raindrops', raindrops !== undefined && sayHowMany(raindrops, run?.total)),
    ...fact('Stored up to', cursor ? timeElement(cursor) : 'not begun yet'),
    ...fact('Now', isRunning ? 'a run is under way' : 'waiting'),
    ...fact('Next batch', nextBatch(schedule)),
    ...fact('Last run', !!run?.finishedAt && timeElement(run.finishedAt)),
    ...fact('Last problem', !!run?.problem && make('span', { class: 'problem' }, run.problem)),
    ...fact('Last rebuilt', !!reinflate?.at && rebuilt(reinflate.at, reinflate.left ?? 0)),
    ...fact(
      'Not as stored',
      broken.length > 0 &&
        make('span', { class: 'problem' }, broken.map(({ id, what }) => `${id}: ${what}`).join('; ')),
    ),
  ];
}

function sayHowMany(here: number, there: number | null | undefined): string {
  return there && there !== here ? `${sayNumber(here)} of ${sayNumber(there)}` : sayNumber(here);
}

function rebuilt(at: string, left: number): Node {
  return left > 0 ? make('span', {}, `now: ${sayNumber(left)} are left`) : timeElement(at);
}

function nextBatch(schedule: string | null | undefined): Node | string {
  if (!schedule) return 'with the daily call';
  return Date.parse(schedule) > Date.now() ? timeElement(schedule) : 'due now';
}

function fact(name: string, value: Node | string | false | undefined): HTMLElement[] {
  return value ? [make('dt', {}, name), make('dd', {}, value)] : [];
}

interface Confirmed {
  readonly name: string;
  readonly question: string;
  readonly extra?: HTMLElement;
  readonly onYes: () => void;
}

/** The question stands where the button was, so that nothing covers the page. */
function confirmed({ name, question, extra, onYes }: Confirmed): HTMLElement {
  const close = () => {
    panel.hidden = true;
    opener.hidden = false;
    opener.focus();
  };
  const yes = button(name, 'primary', () => {
    close();
    onYes();
  });
  const panel = make(
    'div',
    { class: 'note', role: 'group', 'aria-label': name, hidden: '' },
    make('p', {}, question),
    extra,
    make('div', { class: 'form-foot' }, yes, button('Cancel', '', close)),
  );
  panel.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
  });
  const opener = button(`${name} …`, '', () => {
    panel.hidden = false;
    opener.hidden = true;
    yes.focus();
  });
  return make('div', {}, opener, panel);
}
