// The last steps of a build: pages that name every module they will need, the service worker, which has to know every
// file, and every text compressed beforehand, so that the server only hands out bytes.
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
const pages = {
  'index.html': '/',
  'library.html': '/library',
  'highlights.html': '/highlights',
  'search.html': '/search',
  'settings.html': '/settings',
};

export function finishSite() {
  return {
    name: 'finish-site',
    hooks: {
      'astro:build:done': async ({ dir }) => {
        const root = fileURLToPath(dir);
        await preloadModules(root);
        await buildServiceWorker(root);
        const files = (await readdir(root, { recursive: true })).filter((file) => texts.test(file));
        await Promise.all(files.map((file) => compress(join(root, file))));
      },
    },
  };
}

/** A browser learns of what a module imports only when it has read it; told beforehand, it asks for all at once. */
async function preloadModules(root) {
  for (const page of (await readdir(root)).filter((name) => name.endsWith('.html'))) {
    const file = join(root, page);
    const html = await readFile(file, 'utf8');
    const entries = [...html.matchAll(/<script type="module" src="([^"]+)"/g)].map(([, path]) => path);
    const imported = new Set();
    for (const entry of entries) await collectImports(root, entry, imported);
    const links = [...imported].map((path) => `<link rel="modulepreload" href="${path}">`).join('');
    await writeFile(file, html.replace('</head>', `${links}</head>`));
  }
}

async function collectImports(root, path, found) {
  const code = await readFile(join(root, path), 'utf8');
  for (const [, name] of code.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
    const imported = `/app/${name}`;
    if (found.has(imported)) continue;
    found.add(imported);
    await collectImports(root, imported, found);
  }
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
