// The last step of a build: every text is compressed beforehand, so that the server only hands out bytes.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const texts = /\.(html|js|css|svg|json|webmanifest)$/;
/** Below this, the headers weigh more than what is saved. */
const worthwhileBytes = 600;

export function finishSite() {
  return {
    name: 'finish-site',
    hooks: {
      'astro:build:done': async ({ dir }) => {
        const root = fileURLToPath(dir);
        const files = (await readdir(root, { recursive: true })).filter((file) => texts.test(file));
        await Promise.all(files.map((file) => compress(join(root, file))));
      },
    },
  };
}

async function compress(file) {
  const bytes = await readFile(file);
  if (bytes.length < worthwhileBytes) return;
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, best));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
