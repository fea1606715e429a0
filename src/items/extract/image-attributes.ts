// The attributes of an image as they are when it has been loaded: pages keep its address elsewhere until somebody
// scrolls to it.

const kept = ['alt', 'title', 'width', 'height'];
const lateSources = [
  'data-src',
  'data-lazy-src',
  'data-original',
  'data-lazy',
  'data-image',
  'data-full-src',
];
const lateSets = ['data-srcset', 'data-lazy-srcset', 'data-original-set'];
/** Stands in the place of the image until then. */
const placeholder = /(?:blank|placeholder|spacer|transparent|loading|pixel|1x1)[\w.-]{0,40}$/i;

export function imageAttributes(given: ReadonlyMap<string, string>): [string, string][] {
  const shown: [string, string][] = [];
  const own = given.get('src')?.trim() ?? '';
  const late = lateSources.map((name) => given.get(name)?.trim()).find((value) => value);
  const source = own === '' || isPlaceholder(own) ? (late ?? own) : own;
  if (source !== '') shown.push(['src', source]);
  const set = [given.get('srcset'), ...lateSets.map((name) => given.get(name))].find(
    (value) => value && !value.startsWith('data:'),
  );
  if (set) shown.push(['srcset', set]);
  for (const name of kept) {
    const value = given.get(name);
    if (value !== undefined) shown.push([name, value]);
  }
  return shown;
}

function isPlaceholder(source: string): boolean {
  return source.startsWith('data:') || placeholder.test(source.slice(-200));
}
