import { BlockList, isIP } from 'node:net';

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

/**
 * Returns the IPv4 addresses that an IPv6 address leads to, or may lead to, by translation or in a
 * tunnel. The text must be a valid IPv6 address, possibly with a zone.
 */
function embeddedAddresses(address: string): string[] {
  const bytes = bytesOf(address);
  const starts = (...prefix: readonly number[]) => prefix.every((byte, index) => bytes[index] === byte);
  const at = (...positions: readonly number[]) => positions.map((position) => bytes[position] ?? 0);
  const zeros = (count: number) => Array.from({ length: count }, () => 0);
  const last = at(12, 13, 14, 15);
  const found: number[][] = [];
  // compatible and mapped (RFC 4291), and translated (RFC 2765)
  if (starts(...zeros(12)) || starts(...zeros(10), 0xff, 0xff) || starts(...zeros(8), 0xff, 0xff, 0, 0)) {
    found.push(last);
  }
  if (starts(0, 0x64, 0xff, 0x9b, ...zeros(8))) found.push(last); // NAT64 (RFC 6052)
  // NAT64 within a site (RFC 8215); its prefix has 48, 56, 64 or 96 bits
  if (starts(0, 0x64, 0xff, 0x9b, 0, 1)) found.push(at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12), last);
  if (starts(0x20, 0x02)) found.push(at(2, 3, 4, 5)); // 6to4 (RFC 3056)
  // Teredo (RFC 4380): the server, and the client with inverted bits
  if (starts(0x20, 0x01, 0, 0)) {
    found.push(
      at(4, 5, 6, 7),
      last.map((byte) => byte ^ 0xff),
    );
  }
  // ISATAP (RFC 5214)
  if (((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe) found.push(last);
  return found.map((parts) => parts.join('.'));
}

function bytesOf(address: string): number[] {
  // the URL parser writes addresses in their shortest form, with hexadecimal groups only
  const { hostname } = new URL(`http://[${address.replace(/%.*$/s, '')}]`);
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail];
  return groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
