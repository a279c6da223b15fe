import { isIPv4, isIPv6 } from 'node:net';

/** Whether only processes of this machine can reach the host. */
export function isLocalHost(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  if (isIPv6(host)) return host === '::1';
  return host === 'localhost';
}

/** Whether only processes of this machine can reach the host of a URL. */
export function isLocalUrl(url: string): boolean {
  return isLocalHost(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

/** Whether a URL leads to another machine without encryption. */
export function isInsecureTransport(url: string): boolean {
  const { protocol } = new URL(url);
  const isPlain = protocol === 'ws:' || protocol === 'http:';
  return isPlain && !isLocalUrl(url);
}
