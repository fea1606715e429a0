// Feeds and groups as OPML 2.0.
import { escapeXml } from '../../html/escape-xml.ts';
import { splitPath } from './group-path.ts';

export interface WrittenFeed {
  readonly name: string;
  readonly link: string;
  readonly siteUrl: string;
}

export interface WrittenGroup {
  readonly name: string;
  readonly feeds: readonly WrittenFeed[];
}

export interface WrittenOpml {
  readonly title: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Those of the default group, which stand in no folder. */
  readonly feeds: readonly WrittenFeed[];
  readonly groups: readonly WrittenGroup[];
}

interface Folder {
  readonly name: string;
  readonly folders: Map<string, Folder>;
  readonly feeds: WrittenFeed[];
  isGroup: boolean;
}

/** In pieces of one line or a few, for whoever sends or joins them. */
export function* writeOpml({ title, createdAt, feeds, groups }: WrittenOpml): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n';
  yield `  <head>\n    <title>${escapeXml(title)}</title>\n`;
  yield `    <dateCreated>${new Date(createdAt).toUTCString()}</dateCreated>\n  </head>\n  <body>\n`;
  yield* writeContent(nest({ feeds, groups }), '    ');
  yield '  </body>\n</opml>\n';
}

function nest({ feeds, groups }: Pick<WrittenOpml, 'feeds' | 'groups'>): Folder {
  const root = { ...newFolder(''), feeds: [...feeds] };
  for (const group of groups) {
    let folder: Folder = root;
    for (const step of splitPath(group.name)) {
      const inner = folder.folders.get(step) ?? newFolder(step);
      folder.folders.set(step, inner);
      folder = inner;
    }
    folder.isGroup = true;
    for (const feed of group.feeds) folder.feeds.push(feed);
  }
  return root;
}

function newFolder(name: string): Folder {
  return { name, folders: new Map(), feeds: [], isGroup: false };
}

function* writeContent({ feeds, folders }: Folder, indent: string): Generator<string> {
  for (const { name, link, siteUrl } of feeds) {
    const site = siteUrl === '' ? '' : ` htmlUrl="${escapeXml(siteUrl)}"`;
    yield `${indent}<outline ${named(name)} type="rss" xmlUrl="${escapeXml(link)}"${site}/>\n`;
  }
  for (const folder of folders.values()) {
    const isEmpty = folder.isGroup && folder.feeds.length === 0;
    // A folder that has only folders is no group; this one is, so it stands there once more, empty.
    if (isEmpty) yield `${indent}<outline ${named(folder.name)}/>\n`;
    if (isEmpty && folder.folders.size === 0) continue;
    yield `${indent}<outline ${named(folder.name)}>\n`;
    yield* writeContent(folder, `${indent}  `);
    yield `${indent}</outline>\n`;
  }
}

function named(name: string): string {
  const value = escapeXml(name);
  return `text="${value}" title="${value}"`;
}
