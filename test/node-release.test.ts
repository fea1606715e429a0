import { describe, expect, it } from 'vitest';
import { chooseNode, knownHoles, nodeWarnings } from '../bin/node-release.mjs';

const release = (version: string) => ({ path: `/bin/node-${version}`, version });

describe('the Node that runs Lectern', () => {
  it.each([
    { packaged: '26.10.0', running: '26.12.1', chosen: '26.12.1' },
    { packaged: '26.10.0', running: '27.0.0', chosen: '27.0.0' },
    { packaged: '26.10.0', running: '26.9.9', chosen: '26.10.0' },
    { packaged: '26.10.0', running: '26.10.0', chosen: '26.10.0' },
    { packaged: '26.10.0', running: '20.20.2', chosen: '26.10.0' },
    { packaged: undefined, running: '26.1.0', chosen: '26.1.0' },
    { packaged: undefined, running: '25.9.0', chosen: undefined },
  ])('is $chosen if $packaged is packaged and $running runs', ({ packaged, running, chosen }) => {
    expect(chooseNode(packaged ? release(packaged) : undefined, release(running))?.version).toBe(chosen);
  });
});

describe('a warning about Node', () => {
  const now = Date.parse('2026-11-20');

  it('names the hole of an old release, and the release that closes it', () => {
    expect(nodeWarnings('26.10.0', now)).toEqual([
      'Node 26.10.0 has a known hole, CVE-2026-111497. Its Brotli decoder writes out of bounds. Lectern does not use that decoder. Install Node 26.12.1 or newer to close it.',
    ]);
    expect(nodeWarnings('26.12.1', now)).toEqual([]);
  });

  it('says that the list is too old, unless Node is newer than the list', () => {
    const later = now + 200 * 24 * 3_600_000;
    expect(nodeWarnings(knownHoles.newest, later)).toEqual([expect.stringContaining(knownHoles.checkedOn)]);
    expect(nodeWarnings('26.13.0', later)).toEqual([]);
  });
});
