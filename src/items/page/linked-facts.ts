// What the JSON-LD of a page says of it. Anyone may write anything there, so each value is looked at before it is used.
import type { LinkedNode } from '../extract/linked-data.ts';

export interface LinkedFacts {
  readonly headlines: readonly string[];
  readonly descriptions: readonly string[];
  readonly authors: readonly string[];
  readonly siteNames: readonly string[];
  readonly languages: readonly string[];
  readonly dates: readonly string[];
  readonly imageUrls: readonly string[];
}

/** In lists of names and images. */
const maxValues = 10;
/** An object in a list in an object: more is no name. */
const maxDepth = 4;
const articles = /(?:Article|Posting|Report)$/;
/** What a page has beside its subject. */
const surroundings =
  /^(?:WebSite|Organization|NewsMediaOrganization|Person|BreadcrumbList|ImageObject|SiteNavigationElement|WPHeader|WPFooter|WPSideBar|SearchAction|Corporation)$/;

type Fields = Readonly<Record<string, unknown>>;

export function linkedFacts(nodes: readonly LinkedNode[]): LinkedFacts {
  const byId = new Map<string, Fields>();
  for (const { fields } of nodes) {
    const id = fields['@id'];
    if (typeof id === 'string' && !byId.has(id)) byId.set(id, fields);
  }
  const about = nodes
    .filter(({ types }) => !types.every((type) => surroundings.test(type)))
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map(({ fields }) => fields);
  const sites = nodes.filter(({ types }) => types.includes('WebSite')).map(({ fields }) => fields);
  const all = (of: readonly Fields[], read: (fields: Fields) => readonly string[]) => of.flatMap(read);
  return {
    headlines: all(about, (fields) => textsOf(fields.headline ?? fields.name)),
    descriptions: all(about, (fields) => textsOf(fields.description)),
    // Of the first that names any: the review on the page has another author than the page.
    authors:
      about.map((fields) => namesOf(fields.author ?? fields.creator)).find(({ length }) => length > 0) ?? [],
    siteNames: [
      ...all(sites, (fields) => namesOf(fields.name)),
      ...all(about, (fields) => namesOf(fields.publisher)),
    ],
    languages: all(about, (fields) => textsOf(fields.inLanguage)),
    dates: all(about, (fields) => textsOf(fields.datePublished ?? fields.uploadDate ?? fields.dateCreated)),
    imageUrls: all(about, (fields) => urlsOf([fields.image, fields.primaryImageOfPage, fields.thumbnailUrl])),
  };

  /** Where a value only refers to a node, that node. */
  function fieldsOf(value: unknown): Fields | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    const fields = value as Fields;
    const id = fields['@id'];
    return (
      (typeof id === 'string' && fields.name === undefined && fields.url === undefined && byId.get(id)) ||
      fields
    );
  }

  function namesOf(value: unknown, depth = 0): string[] {
    if (depth > maxDepth) return [];
    if (Array.isArray(value)) return value.slice(0, maxValues).flatMap((one) => namesOf(one, depth + 1));
    if (typeof value === 'string') return [value];
    const fields = fieldsOf(value);
    if (!fields) return [];
    const [given] = textsOf(fields.givenName);
    const [family] = textsOf(fields.familyName);
    return fields.name === undefined && family !== undefined
      ? [`${given ?? ''} ${family}`]
      : namesOf(fields.name ?? fields['@value'], depth + 1);
  }

  function urlsOf(value: unknown, depth = 0): string[] {
    if (depth > maxDepth) return [];
    if (Array.isArray(value)) return value.slice(0, maxValues).flatMap((one) => urlsOf(one, depth + 1));
    if (typeof value === 'string') return [value];
    const fields = fieldsOf(value);
    return fields ? urlsOf(fields.url ?? fields.contentUrl ?? fields['@value'], depth + 1) : [];
  }
}

function rankOf({ types }: LinkedNode): number {
  if (types.some((type) => articles.test(type))) return 0;
  return types.some((type) => /Page$/.test(type)) ? 2 : 1;
}

function textsOf(value: unknown): string[] {
  const values = Array.isArray(value) ? value.slice(0, maxValues) : [value];
  return values
    .map((one) => (typeof one === 'object' && one !== null ? (one as Fields)['@value'] : one))
    .filter((one) => typeof one === 'string');
}
