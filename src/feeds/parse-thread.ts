// Runs in a thread of its own: makes feeds of documents, one after the other.
import { parentPort } from 'node:worker_threads';
import { LecternError } from '../errors.ts';
import { type FeedDocument, parseFeed } from './parse/parse-feed.ts';
import type { Reply } from './parse-thread-client.ts';

parentPort?.on('message', (document: FeedDocument) => parentPort?.postMessage(answer(document)));

function answer(document: FeedDocument): Reply {
  try {
    return { parsed: parseFeed(document) };
  } catch (error) {
    // Anything else ends the thread, and whoever waits hears of it.
    if (!(error instanceof LecternError)) throw error;
    return { refused: error.message };
  }
}
