// Where something that was found lives.
import { webAddress } from './web-address.ts';

const rooms: Record<string, string> = {
  entry: '/?entry=',
  bookmark: '/?bookmark=',
  feed: '/?feed=',
  item: '/library?item=',
  annotation: '/highlights?annotation=',
  note: '/highlights?note=',
};

export interface Place {
  readonly href: string;
  /** Whether it is a page of somebody else. */
  readonly isElsewhere: boolean;
}

/** What has no room here, as what the deframer made of an article, opens where it came from. */
export function placeOf({
  kind,
  id,
  url,
}: {
  kind: string;
  id: string | number;
  url: string;
}): Place | undefined {
  const room = Object.hasOwn(rooms, kind) ? rooms[kind] : undefined;
  if (room) return { href: room + encodeURIComponent(id), isElsewhere: false };
  const address = webAddress(url);
  return address ? { href: address, isElsewhere: true } : undefined;
}
