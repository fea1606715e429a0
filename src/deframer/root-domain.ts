// What the articles of a site are grouped by: the domain that somebody has registered, such as example.co.uk.
import { isIP } from 'node:net';
import { getDomain } from 'tldts';

/** Of an address. A host that has no registered domain, such as an IP address, stands for itself. */
export function rootDomainOf(address: string): string | null {
  const hostname = URL.parse(address)?.hostname;
  if (!hostname) return null;
  // Sites under github.io and the like belong to different people.
  return getDomain(hostname, { allowPrivateDomains: true }) ?? withoutDot(hostname);
}

const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/** A domain that somebody has written down, in the spelling of addresses; undefined if it is none. */
export function parseRootDomain(text: string): string | undefined {
  const name = withoutDot(text.trim());
  if (name === '' || /[\s/?#@:\\%]/.test(name)) return undefined;
  const hostname = URL.parse(`http://${name}/`)?.hostname;
  if (!hostname || hostname.length > 253) return undefined;
  // A number is read as an address too: 1 would be 0.0.0.1.
  if (isIP(hostname)) return hostname === name ? hostname : undefined;
  return hostname.split('.').every((part) => label.test(part)) ? hostname : undefined;
}

function withoutDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}
