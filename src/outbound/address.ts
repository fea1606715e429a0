// Which addresses may be connected to. Pure: an address in, how far it reaches out.
import { BlockList, isIP, SocketAddress } from 'node:net';

/**
 * `public`: a server on the internet. `private`: our own machine or network, open only where the operator has
 * allowed it. `never`: metadata services, and whatever is no server's address in itself or wraps another address.
 */
export type Reach = 'public' | 'private' | 'never';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** IANA's special-purpose registries, and the clouds' documentation where a line says so. */
const never = blockList([
  '0.0.0.0/8', // "this network"; Linux takes 0.0.0.0 for the loopback
  '169.254.0.0/16', // link-local: the metadata services of nearly every cloud
  '100.100.100.200/32', // Alibaba's metadata, within CGNAT
  '168.63.129.16/32', // Azure's wire server, which looks public
  '192.0.0.0/24', // protocol assignments; Oracle's metadata was here
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '198.18.0.0/15', // benchmarks
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  'fd00:ec2::/32', // metadata and credentials of AWS
  'fd20:ce::/32', // metadata of Google
  'fd00:42::/32', // metadata of Scaleway
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2001:db8::/32',
  '3fff::/20', // documentation
  '2002::/16', // 6to4
  '3ffe::/16', // the 6bone, returned
]);

const privateNetworks = blockList([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '100.64.0.0/10', // CGNAT; Tailscale's too
  '::1/128',
  'fc00::/7',
]);

/**
 * All that is handed out as public IPv6. What lies outside needs no list of its own to be refused: v4-compatible
 * (::/96), NAT64 (64:ff9b::/96, 64:ff9b:1::/48), link-local, site-local, multicast, and what is not assigned yet.
 */
const globalUnicast = blockList(['2000::/3']);

/** Names that stand for metadata services, whatever they resolve to. */
const metadataNames = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

export function isMetadataName(hostname: string): boolean {
  return metadataNames.has(hostname.toLowerCase().replace(/\.+$/, ''));
}

/** RFC 6761: these are our own machine, and no server is to be asked about them. */
export function isLocalhostName(hostname: string): boolean {
  return /(^|\.)localhost\.*$/i.test(hostname);
}

/**
 * An IP address in one way of writing. A v4-mapped one is its IPv4 address, which is what would be connected to.
 * Undefined for what is no address, or is one only together with an interface of ours (fe80::1%eth0).
 */
export function parseAddress(text: string): Address | undefined {
  const family = isIP(text);
  if (family === 4) return { address: text, family };
  if (family !== 6 || text.includes('%')) return undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  return mapped === undefined ? { address, family } : { address: mapped, family: 4 };
}

export function reachOf(text: string): Reach {
  const parsed = parseAddress(text);
  if (!parsed) return 'never';
  const { address } = parsed;
  const family = parsed.family === 4 ? 'ipv4' : 'ipv6';
  if (never.check(address, family)) return 'never';
  if (privateNetworks.check(address, family)) return 'private';
  if (family === 'ipv4') return 'public';
  return globalUnicast.check(address, family) && !isIsatap(address) ? 'public' : 'never';
}

/** RFC 5214: an interface id of 0:5efe or 200:5efe has an IPv4 address behind it, under any prefix. */
function isIsatap(address: string): boolean {
  const groups = ipv6Groups(address);
  return groups[5] === 0x5efe && (groups[4] === 0 || groups[4] === 0x200);
}

/** Eight numbers from what SocketAddress writes, which has no dotted part outside ::/96 and ::ffff:0:0/96. */
function ipv6Groups(address: string): number[] {
  const [left = '', right] = address.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = Array<string>(right === undefined ? 0 : 8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
