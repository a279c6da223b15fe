import { isIPv4, isIPv6 } from 'node:net';

export interface ListenAddress {
  host: string;
  port: number;
}

/** Reads `PORT`, `HOST:PORT` or `[IPV6]:PORT`; the host is 127.0.0.1 where absent. Undefined where the text is none of these. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return undefined;
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port };
}

/** Whether only processes of this machine reach the host. */
export function isLocalHost(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  if (isIPv6(host)) return host === '::1';
  return host === 'localhost';
}
