import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  readonly link?: boolean;
  readonly integrity?: string;
}

it('the lockfile has the hash of every package, for every platform', () => {
  const file = new URL('../package-lock.json', import.meta.url);
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Locked> };
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  );
  expect(installed.length).toBeGreaterThan(100);
  const unchecked = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(unchecked.map(([path]) => path)).toEqual([]);
});
