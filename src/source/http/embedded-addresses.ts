/**
 * Returns the IPv4 addresses that an IPv6 address leads to, or may lead to, by translation or in a
 * tunnel. The text must be a valid IPv6 address, possibly with a zone.
 */
export function embeddedAddresses(address: string): string[] {
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
