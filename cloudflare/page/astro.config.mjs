// One static page, and nothing inside it: its script and style are files, as its policy asks.
import { defineConfig } from 'astro/config';

export default defineConfig({
  output: 'static',
  outDir: './dist',
  cacheDir: '../../node_modules/.cache/lectern-mirror-page',
  build: { format: 'file', assets: 'app', inlineStylesheets: 'never' },
  devToolbar: { enabled: false },
  vite: {
    cacheDir: '../../node_modules/.cache/lectern-mirror-page/vite',
    build: { assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  },
});
