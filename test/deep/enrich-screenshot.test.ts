// Enrichment with the real reader of pages and a real browser.
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { createPageProcess } from '../../src/items/page/page-process.ts';
import { createScreenshots } from '../../src/items/screenshot/take-screenshot.ts';
import { browserProgram } from '../support/chromium.ts';
import { onEachEngine } from '../support/engines.ts';
import { url, useEnrichment } from '../support/enrichment-suite.ts';
import { temporaryFolder } from '../support/library.ts';

const words = 'A sentence of some length, as it stands in an article that somebody has written. '.repeat(8);
const article = `<article><h1>The heading</h1><p>${words}</p><p>${words}</p></article>`;

onEachEngine('what is asked of enrichment', (engine) => {
  const t = useEnrichment(engine);
  const page = createPageProcess();
  afterAll(() => page.close());

  it('a thumbnail is how the page looks, where it names no image and there is a browser', async () => {
    const browser = browserProgram(await temporaryFolder());
    const isRoot = process.getuid?.() === 0;
    const screenshots = createScreenshots({ browser, outbound: t.world.outbound, isRoot });
    await t.rework({ page, screenshots });
    t.pages['/a'] = { body: `<!doctype html><body style="background: #0a0">${article}` };
    const id = await t.work.save(t.anna, url);
    expect(await t.work.work()).toEqual(['done']);
    const row = await t.work.item(t.anna, id);
    expect(row.enrichment_status).toBe('succeeded');
    const bytes = await t.work.files.read(`thumbnails/${t.anna}/${row.id}.jpg`);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 600, height: 400 });
    const { dominant } = await sharp(bytes).stats();
    expect(dominant.g).toBeGreaterThan(dominant.r + 50);
  });
});
