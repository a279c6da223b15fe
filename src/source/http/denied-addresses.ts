import { BlockList, isIP } from 'node:net';
import { embeddedAddresses } from './embedded-addresses.ts';

/** Names of ranges of addresses that can be denied. */
const ranges = {
  /** This machine. `0.0.0.0` and `::` lead there, too. */
  loopback: ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  /** Services of clouds that give out credentials. */
  metadata: [
    ...['169.254.169.254/32', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
    ...['169.254.170.2/32', '169.254.170.23/32', '169.254.42.42/32', '169.254.0.23/32'],
    ...['fd00:ec2::254/128', 'fd00:ec2::23/128', 'fd20:ce::254/128', 'fd00:42::42/128'],
  ],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10'],
} as const satisfies Record<string, readonly string[]>;

/** Addresses that must not be connected to, also where an IPv6 address leads to an IPv4 address. */
export interface DeniedAddresses {
  has(address: string): boolean;
}

/**
 * Reads names of ranges (`loopback`, `link-local`, `metadata`, `private`), addresses and ranges
 * such as `10.0.0.0/8`. Throws an error that names the first one that is none of them.
 */
export function parseDeniedAddresses(items: readonly string[]): DeniedAddresses {
  const list = new BlockList();
  for (const item of items) {
    const named: readonly string[] | undefined = Object.hasOwn(ranges, item)
      ? ranges[item as keyof typeof ranges] // has the key
      : undefined;
    for (const range of named ?? [item]) addRange(list, range);
  }
  return {
    has(address) {
      const version = isIP(address);
      if (version === 0) return true;
      if (version === 4) return list.check(address, 'ipv4');
      return list.check(address, 'ipv6') || embeddedAddresses(address).some((inner) => list.check(inner, 'ipv4'));
    },
  };
}

function addRange(list: BlockList, range: string): void {
  const [address = '', bits, ...more] = range.split('/');
  const version = isIP(address);
  const size = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? size : Number(bits);
  if (version === 0 || more.length > 0 || !/^\d*$/.test(bits ?? '') || bits === '' || prefix > size) {
    const names = Object.keys(ranges).join(', ');
    throw new Error(`${JSON.stringify(range)} is neither an address, a range such as 10.0.0.0/8, nor one of ${names}`);
  }
  list.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
}
