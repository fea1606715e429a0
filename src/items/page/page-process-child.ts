// Runs in a process of its own: reads pages and makes thumbnails, one after the other. What it must not do, and how much
// memory it may take, page-process-guard.ts sees to.
import { type PageReply, type PageRequest, readySign } from './page-messages.ts';
import { readPage } from './read-page.ts';
import { makeThumbnail } from './thumbnail.ts';

process.on('message', async (request: PageRequest) => {
  const answer = await answerTo(request);
  process.send?.({ ...answer, rssBytes: process.memoryUsage.rss() } satisfies PageReply);
});
process.send?.(readySign);

async function answerTo(request: PageRequest) {
  try {
    return 'read' in request
      ? { copy: await readPage(request.read) }
      : { thumbnail: await makeThumbnail(request.thumbnail) };
  } catch (error) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
