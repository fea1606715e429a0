// Outlines to feeds and groups. An outline with an address is a feed, wherever it stands and whatever type it names;
// another is a folder, or something that is no feed.
import { Invalid } from '../../errors.ts';
import { cleanName, cutName } from './clean-name.ts';
import { joinPath } from './group-path.ts';
import { opmlLimits as limits } from './limits.ts';
import { parseOutlineLink } from './outline-link.ts';
import type { Outline, OutlineVisitor } from './read-outlines.ts';

export interface OpmlFeed {
  readonly link: string;
  /** Empty if the file has none. */
  readonly name: string;
  readonly siteUrl: string;
  /** The name of its group; null is the default group. */
  readonly group: string | null;
}

export interface OpmlProblem {
  readonly link: string;
  readonly error: string;
}

export interface OpmlContent {
  /** Every group that the file has, in its order; those without feeds too. */
  readonly groups: readonly string[];
  /** No two with one link. */
  readonly feeds: readonly OpmlFeed[];
  readonly errors: readonly OpmlProblem[];
  readonly warnings: readonly string[];
}

interface Folder {
  /** Of the group that it is. */
  readonly name: string;
  /** The same before it was cut: what the names of folders in it begin with. */
  readonly path: string;
  readonly depth: number;
  isGroup: boolean;
}

/** One place where a folder stands; there may be several. */
interface OpenFolder {
  readonly folder: Folder;
  hasFolders: boolean;
}

const notFeeds = new Set(['link', 'include', 'bookmark']);
const feedTypes = new Set(['rss', 'atom', 'feed', 'json', 'rdf', 'podcast']);

export function collectFeeds(): OutlineVisitor & { content(): OpmlContent } {
  const folders = new Map<string, Folder>();
  const feeds = new Map<string, OpmlFeed>();
  const errors: OpmlProblem[] = [];
  const warnings: string[] = [];
  /** For each open outline, the folder that what stands in it belongs to: of a feed, the same as that of the feed. */
  const open: (OpenFolder | undefined)[] = [];
  let feedsSeen = 0;
  let isTooDeep = false;

  return {
    open(outline, isLeaf) {
      const parent = open.at(-1);
      open.push(parent);
      const address = addressOf(outline);
      if (address !== undefined) {
        feedsSeen += 1;
        if (feedsSeen > limits.feeds)
          throw new Invalid(`the file has more than ${limits.feeds} feeds: import it in parts`);
        if (parent) parent.folder.isGroup = true;
        addFeed(outline, address, parent?.folder);
      } else if (notFeeds.has(typeOf(outline)) || (isLeaf && linkOf(outline) !== undefined)) {
        warnings.push(`"${nameOf(outline) || (linkOf(outline) ?? '')}" is no feed and was left out`);
      } else {
        open[open.length - 1] = enterFolder(outline, parent);
      }
    },
    /** A folder is a group, unless it has only folders in it. */
    close() {
      const closed = open.pop();
      if (closed && closed !== open.at(-1) && !closed.hasFolders) closed.folder.isGroup = true;
    },
    content() {
      const groups = [...folders.values()].filter(({ isGroup }) => isGroup);
      if (groups.length > limits.groups)
        throw new Invalid(`the file has more than ${limits.groups} groups: import it in parts`);
      if (isTooDeep)
        warnings.push(
          `folders are nested more than ${limits.depth} deep: feeds below that are in the folder above`,
        );
      return { groups: groups.map(({ name }) => name), feeds: [...feeds.values()], errors, warnings };
    },
  };

  function addFeed(outline: Outline, address: string, folder: Folder | undefined): void {
    const link = parseOutlineLink(address);
    if (link === undefined) {
      const error = address.trim() === '' ? 'it has no address' : 'expected an http(s) address';
      errors.push({ link: cleanName(address, 200) || nameOf(outline), error });
      return;
    }
    const group = folder?.name ?? groupOfCategory(outline, link);
    const other = feeds.get(link);
    if (other) {
      warnings.push(
        other.group === group
          ? `${link} is in the file more than once`
          : `${link} is in more than one folder: it goes to ${shown(other.group)}, not to ${shown(group)}`,
      );
      return;
    }
    feeds.set(link, {
      link,
      name: nameOf(outline, address),
      siteUrl: parseOutlineLink(outline.get('htmlurl') ?? '') ?? '',
      group,
    });
  }

  /** A folder without a name, or too deep for one, is as if it were not there. */
  function enterFolder(outline: Outline, parent: OpenFolder | undefined): OpenFolder | undefined {
    const own = cleanName(outline.get('text') || outline.get('title') || '', limits.groupNameChars);
    if (own === '') return parent;
    if ((parent?.folder.depth ?? 0) >= limits.depth) {
      isTooDeep = true;
      return parent;
    }
    if (parent) parent.hasFolders = true;
    return { folder: folderAt([own], parent?.folder), hasFolders: false };
  }

  function folderAt(names: readonly string[], parent?: Folder): Folder {
    const joined = joinPath(names);
    const path = parent ? `${parent.path} / ${joined}` : joined;
    const known = folders.get(path);
    if (known) return known;
    const name = cutName(path, limits.groupNameChars);
    if (name !== path) warnings.push(`a name is too long for a group: it is cut to "${name}"`);
    const depth = (parent?.depth ?? 0) + names.length;
    const folder = { name, path, depth, isGroup: false };
    folders.set(path, folder);
    return folder;
  }

  /** For a feed that stands in no folder. OPML 2.0: parted by commas, and each a path with slashes. */
  function groupOfCategory(outline: Outline, link: string): string | null {
    const categories = (outline.get('category') ?? '').split(',', 100).flatMap((written) => {
      const names = written.split('/', limits.depth + 1);
      const path = names.map((name) => cleanName(name, limits.groupNameChars)).filter((name) => name !== '');
      return path.length > 0 ? [path] : [];
    });
    const [first, ...others] = categories;
    if (!first) return null;
    const folder = folderAt(first);
    folder.isGroup = true;
    if (others.length > 0) warnings.push(`${link} has several categories: it goes to ${shown(folder.name)}`);
    return folder.name;
  }
}

/** undefined: it is none of a feed. Some old files have `url` where others have `xmlUrl`. */
function addressOf(outline: Outline): string | undefined {
  const address = outline.get('xmlurl');
  if (address !== undefined && address.trim() !== '') return address;
  return feedTypes.has(typeOf(outline)) ? (outline.get('url') ?? '') : undefined;
}

/** Of a page or another file; undefined if it names none. */
function linkOf(outline: Outline): string | undefined {
  const link = outline.get('url') ?? outline.get('htmlurl');
  return link === undefined ? undefined : cleanName(link, 200);
}

function typeOf(outline: Outline): string {
  return (outline.get('type') ?? '').trim().toLowerCase();
}

/** `text` is what a reader shows, and what a person has renamed; where it only repeats the address, `title` says more. */
function nameOf(outline: Outline, address = ''): string {
  const text = outline.get('text')?.trim();
  const title = outline.get('title')?.trim();
  return cleanName((text === address.trim() ? title || text : text || title) ?? '', limits.feedNameChars);
}

function shown(group: string | null): string {
  return group === null ? 'the default group' : `"${group}"`;
}
