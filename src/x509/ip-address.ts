import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the bytes of an address: 4 for IPv4 and IPv4-mapped IPv6, otherwise 16. Returns undefined
 * if Go's `net.ParseIP` rejects it.
 */
export function ipAddressBytes(text: string): Uint8Array | undefined {
  if (isIPv4(text)) return ipv4Bytes(text);
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const bytes = ipv6Bytes(text);
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped ? bytes.subarray(12) : bytes;
}

function ipv4Bytes(text: string): Uint8Array {
  return Uint8Array.from(text.split('.'), Number);
}

function ipv6Bytes(text: string): Uint8Array {
  const [head = '', tail] = text.split('::');
  const [start, end] = [groups(head), tail === undefined ? [] : groups(tail)];
  const zeros = new Array<number>(16 - start.length - end.length).fill(0);
  return Uint8Array.from([...start, ...zeros, ...end]);
}

function groups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return [...ipv4Bytes(group)];
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
