import { isLocalHost } from './local-host.ts';

/** Whether a URL leads to another machine without encryption. */
export function isInsecureTransport(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const isPlain = protocol === 'ws:' || protocol === 'http:';
  return isPlain && !isLocalHost(hostname.replace(/^\[|\]$/g, ''));
}
