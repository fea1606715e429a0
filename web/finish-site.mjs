// The last steps of a build: the service worker, which has to know every file, and every text compressed beforehand, so
// that the server only hands out bytes.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

const texts = /\.(html|js|css|svg|json|webmanifest)$/;
/** Below this, the headers weigh more than what is saved. */
const worthwhileBytes = 600;
/** Pages that can be read without the server, by the path they are served under. */
const pages = { 'index.html': '/', 'search.html': '/search', 'settings.html': '/settings' };

export function finishSite() {
  return {
    name: 'finish-site',
    hooks: {
      'astro:build:done': async ({ dir }) => {
        const root = fileURLToPath(dir);
        await buildServiceWorker(root);
        const files = (await readdir(root, { recursive: true })).filter((file) => texts.test(file));
        await Promise.all(files.map((file) => compress(join(root, file))));
      },
    },
  };
}

async function buildServiceWorker(root) {
  const names = (await readdir(root, { recursive: true })).map((name) => name.replaceAll('\\', '/')).sort();
  // Fonts for scripts that this reader may never meet are kept when they are first used.
  const wanted = names.filter(
    (name) =>
      name in pages ||
      /^(boot\.js|reading\.css|manifest\.webmanifest|icon\.svg)$/.test(name) ||
      /^app\/.*\.(js|css)$/.test(name) ||
      /^app\/(inter|literata)-latin-wght-.*\.woff2$/.test(name),
  );
  const hash = createHash('sha256');
  for (const name of wanted) hash.update(`${name}\0`).update(await readFile(join(root, name)));
  await build({
    configFile: false,
    logLevel: 'warn',
    root: fileURLToPath(new URL('.', import.meta.url)),
    publicDir: false,
    define: {
      __FILES__: JSON.stringify(wanted.map((name) => pages[name] ?? `/${name}`)),
      __BUILD__: JSON.stringify(hash.digest('hex').slice(0, 16)),
    },
    build: {
      outDir: root,
      emptyOutDir: false,
      lib: { entry: 'src/offline/sw.ts', formats: ['iife'], name: 'sw', fileName: () => 'sw.js' },
    },
  });
}

async function compress(file) {
  const bytes = await readFile(file);
  if (bytes.length < worthwhileBytes) return;
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, best));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
