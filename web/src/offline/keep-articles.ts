// Fetches articles before they are opened, a few at a time while nothing else happens, so that they can be read on a
// train. The service worker keeps what it sees pass.
const keptAtOnce = 60;
const asked = new Set<string>();

export function keepArticles(hrefs: readonly string[]): void {
  if (!navigator.onLine || !navigator.serviceWorker?.controller || savesData()) return;
  const wanted = hrefs.slice(0, keptAtOnce).filter((href) => !asked.has(href));
  for (const href of wanted) asked.add(href);
  void fetchInTurn(wanted);
}

async function fetchInTurn(hrefs: readonly string[]): Promise<void> {
  for (const href of hrefs) {
    await idle();
    try {
      await fetch(href);
    } catch {
      // The server is out of reach: they are asked for again when the list is.
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
