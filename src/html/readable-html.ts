// Sanitised HTML as it is shown: links open beside the reader, images load when they come near, players become links.
// It is done when the HTML is shown and not when it is kept, so that what is kept is what was published.

/** What the sanitiser writes has no ">" in an attribute, so a tag is what lies between the two signs. */
const tag = /<(a|img|iframe)((?: [^>]*)?)>(?:<\/iframe>)?/g;

export function readableHtml(sanitised: string): string {
  return sanitised.replace(tag, (written, name: string, attributes: string) => {
    if (name === 'img') return `<img${attributes} loading="lazy" decoding="async">`;
    if (name === 'iframe') return playerLink(attributes);
    return attributes.includes(' href="') ? `<a${attributes} target="_blank">` : written;
  });
}

const players: { src: RegExp; watch: (id: string) => string }[] = [
  {
    src: /^https:\/\/www\.youtube-nocookie\.com\/embed\/([\w-]+)$/,
    watch: (id) => `https://www.youtube.com/watch?v=${id}`,
  },
  { src: /^https:\/\/player\.vimeo\.com\/video\/(\d+)\?dnt=1$/, watch: (id) => `https://vimeo.com/${id}` },
  {
    src: /^https:\/\/www\.dailymotion\.com\/embed\/video\/(\w+)$/,
    watch: (id) => `https://www.dailymotion.com/video/${id}`,
  },
];

/** A player needs scripts, which nothing in the frame around an article may run. */
function playerLink(attributes: string): string {
  const src = /^ src="([^"]*)"/.exec(attributes)?.[1] ?? '';
  for (const { src: pattern, watch } of players) {
    const id = pattern.exec(src)?.[1];
    if (id === undefined) continue;
    const url = watch(id);
    const host = new URL(url).hostname.replace(/^www\./, '');
    return `<a href="${url}" rel="noopener noreferrer" target="_blank">▶ ${host}</a>`;
  }
  return '';
}
