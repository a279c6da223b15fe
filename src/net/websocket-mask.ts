import { isInsecureTransport } from './local-host.ts';

/**
 * Returns the options of a WebSocket's mask for its URL. Clients mask what they send, so that
 * content cannot look like HTTP to proxies (RFC 6455, 10.3). No proxy reads what is encrypted or
 * stays on this machine, so the mask is zero there, and `ws` neither copies nor changes the bytes.
 */
export function maskOptions(url: string | URL): { generateMask?: (mask: Buffer) => void } {
  return isInsecureTransport(String(url)) ? {} : { generateMask: (mask) => void mask.fill(0) };
}
