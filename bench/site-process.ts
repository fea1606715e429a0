// A site on the loopback in a process of its own, so that serving it costs none of what is measured.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export async function startSite(script: string) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the site ended')));
    child.stdout.once('data', (text) => resolve(String(text).trim()));
  });
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    counts: async <T>(): Promise<T> => (await (await fetch(`${origin}/counts`)).json()) as T,
    stop: () => child.kill(),
  };
}
