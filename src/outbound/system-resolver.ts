// DNS as the system is set up to use it.
import { lookup, Resolver } from 'node:dns/promises';
import type { Resolve } from './resolve.ts';

export interface SystemResolverOptions {
  readonly allowPrivateNetworks: boolean;
  /** In place of the system's: address:port. */
  readonly servers?: readonly string[];
}

/**
 * Asks the name servers directly. getaddrinfo would occupy one of four threads for as long as a hostile name server
 * keeps silent, and these threads also do our files and our decompression. It is asked only where private networks
 * are allowed and DNS knows nothing: for names that /etc/hosts or mDNS have.
 */
export function systemResolver({ allowPrivateNetworks, servers }: SystemResolverOptions): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    // IPv4 first: many a container has no way out over IPv6, and finds out only by waiting.
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    if (allowPrivateNetworks) return (await lookup(hostname, { all: true })).map(({ address }) => address);
    throw v4.status === 'rejected' ? v4.reason : new Error('no addresses');
  };
}
