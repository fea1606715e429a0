// What is fetched only to be kept, a little at a time while nothing else happens, so that it can be read on a train. The
// service worker keeps what it sees pass.
const keptAtOnce = 60;
const asked = new Set<string>();

export function keepArticles(hrefs: readonly string[]): void {
  if (!navigator.onLine || !navigator.serviceWorker?.controller || savesData()) return;
  const wanted = hrefs.slice(0, keptAtOnce).filter((href) => !asked.has(href));
  for (const href of wanted) asked.add(href);
  void fetchInTurn(wanted);
}

const keptLists = 8;
const quietMs = 4_000;
const lists: string[] = [];
let later: ReturnType<typeof setTimeout> | undefined;

export function noteList(href: string): void {
  if (lists.includes(href)) lists.splice(lists.indexOf(href), 1);
  lists.push(href);
  if (lists.length > keptLists) lists.shift();
}

/** The lists that are kept show the marks as they were: they are asked for anew once nobody marks anything. */
export function renewListsLater(): void {
  if (!navigator.serviceWorker?.controller) return;
  clearTimeout(later);
  later = setTimeout(() => void fetchInTurn(['/api/feeds', ...lists]), quietMs);
}

async function fetchInTurn(hrefs: readonly string[]): Promise<void> {
  for (const href of hrefs) {
    await idle();
    try {
      // To its end: an answer that is not read holds its connection.
      await (await fetch(href)).arrayBuffer();
    } catch {
      // The server is out of reach: articles are asked for again when their list is.
      for (const one of hrefs) asked.delete(one);
      return;
    }
  }
}

function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData ?? false;
}

function idle(): Promise<void> {
  return new Promise((resolve) =>
    'requestIdleCallback' in window
      ? requestIdleCallback(() => resolve(), { timeout: 3_000 })
      : setTimeout(resolve, 200),
  );
}
