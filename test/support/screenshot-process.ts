// A process that takes a picture of a page and is killed over it: started by test/deep/screenshot.test.ts with the browser,
// the folder for it and the address.
import { randomBytes } from 'node:crypto';
import { createScreenshots } from '../../src/items/screenshot/take-screenshot.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { memoryOfPauses } from '../../src/outbound/pace.ts';

const [browser = '', temporaryFolder = '', url = ''] = process.argv.slice(2);
const outbound = createOutbound({
  now: Date.now,
  randomText: (bytes) => randomBytes(bytes).toString('base64url'),
  userAgent: 'Lectern/test',
  allowPrivateNetworks: true,
  pauses: memoryOfPauses(Date.now),
});
const isRoot = process.getuid?.() === 0;
const screenshots = createScreenshots({ browser, outbound, isRoot, temporaryFolder });
await screenshots.take({ url, signal: new AbortController().signal });
