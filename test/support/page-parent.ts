// A process that has a page read which takes for ever, and says by which process. Its end comes from outside.
import { createPageProcess } from '../../src/items/page/page-process.ts';

const pages = createPageProcess({ script: new URL('./page-child.ts', import.meta.url) });
const read = (path: string) =>
  pages.read({
    bytes: new Uint8Array(),
    mediaType: 'text/html',
    charset: undefined,
    url: `http://a.example/${path}`,
  });
const { facts } = await read('pid');
const stuck = read('loop');
// The page is on its way, and comes before the news of our end.
process.stdout.write(`${facts.title}\n`);
await stuck;
