// From a name to the addresses that may be connected to. Every connection of this folder starts here.
import { type Address, isLocalhostName, isMetadataName, parseAddress, reachOf } from './address.ts';
import { Failure } from './failure.ts';

/** Asks DNS once. An empty answer and a rejection both mean that there is no such name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface Guard {
  readonly resolve: Resolve;
  readonly allowPrivateNetworks: boolean;
}

export interface CheckedHost {
  /** As it stands in certificates and Host headers: no brackets. */
  readonly hostname: string;
  /** Never empty, and each of them may be connected to. */
  readonly addresses: readonly Address[];
  readonly isPrivate: boolean;
}

/** More addresses than this of one name are not tried: a name is no list of doors to knock on. */
const maxAddresses = 8;

/**
 * Resolves once; the answer is what is connected to, so that a name that changes its mind gains nothing. Of a mixed
 * answer, only the addresses that are allowed remain.
 */
export async function checkHost(guard: Guard, urlHostname: string): Promise<CheckedHost> {
  const hostname = urlHostname.replace(/^\[(.*)\]$/, '$1');
  if (hostname === '' || isMetadataName(hostname)) throw new Failure('blocked-address');
  const found = await addressesOf(guard, hostname);
  const allowed = found.filter(({ address }) => {
    const reach = reachOf(address);
    return reach === 'public' || (reach === 'private' && guard.allowPrivateNetworks);
  });
  if (allowed.length === 0) throw new Failure('blocked-address');
  return {
    hostname,
    addresses: allowed.slice(0, maxAddresses),
    isPrivate: allowed.some(({ address }) => reachOf(address) === 'private'),
  };
}

async function addressesOf({ resolve }: Guard, hostname: string): Promise<Address[]> {
  const literal = parseAddress(hostname);
  if (literal) return [literal];
  if (isLocalhostName(hostname)) {
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
  }
  const answers = await resolve(hostname).catch((error) => {
    throw new Failure('dns', { cause: error });
  });
  const addresses = answers.map(parseAddress).filter((address) => address !== undefined);
  if (addresses.length === 0) throw new Failure('dns');
  return addresses;
}
