// Static pages, and nothing inside them: every script and style is a file, as the policy of the pages asks.
import svelte from '@astrojs/svelte';
import { defineConfig } from 'astro/config';
import { finishSite } from './finish-site.mjs';

export default defineConfig({
  output: 'static',
  outDir: process.env.LECTERN_WEB_OUT ?? './dist',
  cacheDir: '../node_modules/.cache/lectern-web',
  build: { format: 'file', assets: 'app', inlineStylesheets: 'never' },
  devToolbar: { enabled: false },
  integrations: [svelte(), finishSite()],
  vite: { build: { assetsInlineLimit: 0, modulePreload: { polyfill: false } } },
});
