// Frames run the code of others, so only a few players may stay, in a sandbox and without cookies where they offer it.
import type { Attributes } from './clean-image.ts';

const players: { host: RegExp; path: RegExp; write: (id: string) => string }[] = [
  {
    host: /^(?:www\.)?youtube(?:-nocookie)?\.com$/,
    path: /^\/embed\/([\w-]{1,64})$/,
    write: (id) => `https://www.youtube-nocookie.com/embed/${id}`,
  },
  {
    host: /^player\.vimeo\.com$/,
    path: /^\/video\/(\d{1,20})$/,
    write: (id) => `https://player.vimeo.com/video/${id}?dnt=1`,
  },
  {
    host: /^(?:www\.)?dailymotion\.com$/,
    path: /^\/embed\/video\/(\w{1,64})$/,
    write: (id) => `https://www.dailymotion.com/embed/video/${id}`,
  },
];

/** The attributes to write; undefined if the frame goes. */
export function cleanFrame(given: Attributes, base: string | null): [string, string][] | undefined {
  const url = URL.parse((given.get('src') ?? given.get('data-src') ?? '').trim(), base ?? undefined);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  for (const { host, path, write } of players) {
    const id = host.test(url.hostname) ? path.exec(url.pathname)?.[1] : undefined;
    if (id === undefined) continue;
    return [
      ['src', write(id)],
      ['sandbox', 'allow-scripts allow-same-origin allow-presentation allow-popups'],
      // YouTube refuses to play without knowing which site asks.
      ['referrerpolicy', 'strict-origin-when-cross-origin'],
      ['loading', 'lazy'],
      ['allowfullscreen', ''],
    ];
  }
  return undefined;
}
