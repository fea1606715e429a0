// What somebody has marked in the pages of the demo, there and in other programs.
import type { WebApp } from '../test/support/web-app.ts';

interface DemoHighlight {
  readonly page: string;
  readonly text: string;
  readonly color: string;
  readonly comment?: string;
  readonly daysAgo: number;
}

const own: readonly DemoHighlight[] = [
  {
    page: 'What a shelf remembers',
    text: 'A library that is sorted well answers one question quickly. A library that has grown answers questions you did not know you had.',
    color: 'yellow',
    comment: 'The whole argument against folders, in two sentences.',
    daysAgo: 0.02,
  },
  {
    page: 'What a shelf remembers',
    text: 'You do not look for a book. You go back to where you were when you needed it.',
    color: 'green',
    daysAgo: 0.03,
  },
  {
    page: 'What a shelf remembers',
    text: 'I could not say where anything is; I can only say when it is.',
    color: 'pink',
    daysAgo: 0.04,
  },
  // From an older copy of the page, which has other words.
  {
    page: 'What a shelf remembers',
    text: 'She wrote the date of every purchase on the last page, in pencil, and never a word more.',
    color: 'blue',
    comment: 'Did he take this out later?',
    daysAgo: 40,
  },
];

const fromBook = [
  'A field is never as flat as it looks, and never as empty.',
  'He knew the hedges by their faults.',
];

export async function highlightDemo({ api }: WebApp): Promise<void> {
  const { items } = await api('GET', '/api/v1/items?limit=100');
  const itemOf = (title: string) => items.find((item: { title: string | null }) => item.title === title);
  for (const { page, daysAgo, ...highlight } of own) {
    await api('POST', '/api/annotations', {
      item_id: Number(itemOf(page).id),
      made_at: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
      ...highlight,
    });
  }
  const { url } = itemOf('How wide is a comfortable line?');
  await api('POST', '/api/light/sync', {
    source: 'light-desk',
    highlights: {
      [url]: [
        {
          groupID: 1,
          repr: 'Ask ten printers',
          chunks: ['Ask ten printers'],
          date: new Date(Date.now() - 9 * 86_400_000).toISOString(),
          url,
        },
      ],
    },
  });
  const { data: book } = await api('POST', '/api/resources', {
    type: 'book',
    title: 'The Long Field',
    author: 'Ada Winter',
    external_id: 'kindle:the-long-field',
  });
  for (const [n, text] of fromBook.entries()) {
    await api('POST', '/api/annotations', {
      resource_id: book.id,
      text,
      external_id: `kindle:the-long-field-${n}`,
      made_at: new Date(Date.now() - (60 + n) * 86_400_000).toISOString(),
    });
  }
}
