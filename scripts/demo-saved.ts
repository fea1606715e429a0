// Pages that somebody has saved over the years, for the library of the demo. The texts are those of the demo feeds, as their
// sites would show them.
import sharp from 'sharp';
import { pageHtml } from '../test/support/saved-pages.ts';
import type { WebSite } from '../test/support/web-site.ts';
import { brokenDemoFeed, demoFeeds } from './demo-content.ts';
import {
  bread,
  garden,
  lighthouse,
  nightSky,
  rooftops,
  shoreline,
  specimen,
  spines,
} from './demo-pictures.ts';

export interface DemoPage {
  readonly path: string;
  readonly tags: readonly string[];
  readonly collection?: string;
  readonly isFavorite?: boolean;
  readonly isArchived?: boolean;
}

/** The ones within others after those. */
export const demoCollections: readonly { name: string; parent?: string }[] = [
  { name: 'Reading room' },
  { name: 'Essays', parent: 'Reading room' },
  { name: 'Typography', parent: 'Reading room' },
  { name: 'Workshop' },
  { name: 'Out of doors' },
  { name: 'Kitchen' },
];

const pictures: Readonly<Record<string, () => string>> = {
  shore: shoreline,
  sky: nightSky,
  specimen,
  bread,
  garden,
  lighthouse,
  rooftops,
  spines,
};

interface Source {
  /** As it is called in the demo feeds. */
  readonly title: string;
  readonly picture?: keyof typeof pictures;
}

const saved: readonly (Omit<DemoPage, 'path'> & Source)[] = [
  { title: 'The lamp is being cleaned', picture: 'lighthouse', tags: ['coast'], collection: 'Out of doors' },
  {
    title: 'Delete the config file',
    tags: ['software', 'simplicity'],
    collection: 'Workshop',
    isArchived: true,
  },
  { title: 'Gießen, wenn die Straße schläft', picture: 'rooftops', tags: ['garden', 'city'] },
  { title: 'مقهى عند آخر الشارع', tags: ['travel'] },
  {
    title: 'Counting meteors with a seven-year-old',
    tags: ['astronomy', 'children'],
    collection: 'Out of doors',
    isArchived: true,
  },
  { title: 'Notes in the margin are letters to a later self', tags: ['reading'], collection: 'Essays' },
  { title: 'The error message is the user interface', tags: ['software', 'writing'], collection: 'Workshop' },
  {
    title: 'Bread for people who forget',
    picture: 'bread',
    tags: ['bread', 'recipes'],
    collection: 'Kitchen',
    isFavorite: true,
  },
  {
    title: 'In praise of the semicolon; or, the pause that is not an end',
    tags: ['typography', 'writing'],
    collection: 'Typography',
  },
  {
    title: 'Two hours of clear sky and a stubborn hinge',
    picture: 'sky',
    tags: ['astronomy'],
    collection: 'Out of doors',
  },
  {
    title: 'On reading the same book every winter, and what changes although nothing in it does',
    tags: ['reading', 'winter'],
    collection: 'Essays',
  },
  { title: 'Der Apfelbaum auf dem Garagendach', picture: 'garden', tags: ['garden', 'city'] },
  {
    title: 'A queue in forty lines, and the three lines that matter',
    tags: ['software', 'sql'],
    collection: 'Workshop',
    isFavorite: true,
  },
  {
    title: 'How wide is a comfortable line?',
    picture: 'specimen',
    tags: ['typography'],
    collection: 'Typography',
  },
  { title: 'Low water, first light', picture: 'shore', tags: ['birds', 'coast'], collection: 'Out of doors' },
  {
    title: 'What a shelf remembers',
    picture: 'spines',
    tags: ['memory', 'reading'],
    collection: 'Essays',
    isFavorite: true,
  },
];

/** Puts them onto the site; the first is the one to be saved first. */
export async function putDemoPages(site: WebSite): Promise<DemoPage[]> {
  for (const [name, draw] of Object.entries(pictures)) {
    const body = new Uint8Array(
      await sharp(Buffer.from(draw())).resize(1200, 800, { fit: 'cover' }).png().toBuffer(),
    );
    site.put(`/pictures/${name}.png`, { type: 'image/png', body });
  }
  // Where their feeds say that they are: a page that was saved and one that came with a feed are the same.
  const entries = new Map(
    [...demoFeeds(site.origin), brokenDemoFeed].flatMap(({ path, title: siteName, entries }) =>
      entries.map(
        (entry, n) => [entry.title, { ...entry, siteName, path: path.replace(/[^/]+$/, String(n)) }] as const,
      ),
    ),
  );
  return saved.map(({ title, picture, ...page }) => {
    const entry = entries.get(title);
    if (!entry) throw new Error(`no demo feed has ${title}`);
    const { path, siteName, html = '', author } = entry;
    const body = pageHtml({
      title,
      siteName,
      body: html,
      ...(author && { author }),
      ...(picture && { picture: `${site.origin}/pictures/${picture}.png` }),
    });
    site.put(path, { type: 'text/html; charset=utf-8', body });
    return { path, ...page };
  });
}
