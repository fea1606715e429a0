// Runs in a thread of its own: holds vectors, and finds those nearest to a question.
import { parentPort, workerData } from 'node:worker_threads';
import { unpackChunks } from './chunk-page.ts';
import { quantise, readQuantised } from './quantise.ts';
import { VectorBlocks } from './vector-blocks.ts';
import type { ScanReply, ScanRequest } from './vector-scan.ts';

const { maxBytes } = workerData as { maxBytes: number };
const blocks = new VectorBlocks(maxBytes);

parentPort?.on('message', (request: ScanRequest) => parentPort?.postMessage(answer(request)));

function answer(request: ScanRequest): ScanReply {
  const { id, userId } = request;
  switch (request.do) {
    case 'add': {
      const dropped = blocks.add(userId, request.dimensions, unpackChunks(request.page));
      return { id, rows: blocks.rowsOf(userId), dropped };
    }
    case 'drop':
      blocks.drop(userId);
      return { id, rows: 0, dropped: [] };
    case 'scan': {
      const asked = readQuantised(quantise(request.input.query));
      return { id, scored: blocks.scan(userId, request.input, asked) };
    }
  }
}
