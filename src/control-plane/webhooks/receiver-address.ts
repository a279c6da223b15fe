// The addresses to which a control plane sends webhooks, and those to which it does not, because
// users could otherwise reach through it what only its own network can.
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Returns all addresses of a host. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** A receiver that must not be connected to. The message says why. */
export class DeniedReceiverError extends Error {
  override readonly name = 'DeniedReceiverError';
}

/** Public, but the address of the host of a virtual machine in Azure. */
const metadataAddresses: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Returns the URL of a receiver. Its host may be one that the operator allows; others need https.
 * Throws `DeniedReceiverError`.
 */
export function receiverUrl(text: string, allowedHosts: readonly string[]): URL {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw new DeniedReceiverError('must be an https URL');
  if (url.username !== '' || url.password !== '') throw new DeniedReceiverError('must have no user and no password');
  if (isAllowedHost(url, allowedHosts)) return url;
  if (url.protocol !== 'https:') throw new DeniedReceiverError('must be an https URL');
  const host = hostOf(url);
  if (isIP(host) !== 0) requirePublic(host);
  return url;
}

/**
 * Returns an address of the receiver to connect to. All of its addresses are checked, so that none
 * of them leads into the network of the control plane. Rejects with `DeniedReceiverError`.
 */
export async function receiverAddress(
  url: URL,
  allowedHosts: readonly string[],
  resolve: Resolve,
): Promise<LookupAddress> {
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  const [first] = addresses;
  if (!first) throw new DeniedReceiverError('the host has no address');
  if (!isAllowedHost(url, allowedHosts)) for (const { address } of addresses) requirePublic(address);
  return first;
}

/** Returns the host of a URL; an IPv6 address is without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  return allowedHosts.includes(hostOf(url));
}

/** Addresses of IPv4 as they were once written in IPv6, such as `::127.0.0.1`. */
const compatible = ipaddr.IPv6.parseCIDR('::/96');

function requirePublic(address: string): void {
  const parsed = ipaddr.isValid(address) ? ipaddr.parse(address) : undefined;
  const isCompatible = parsed instanceof ipaddr.IPv6 && parsed.match(compatible);
  // an address of another range, also IPv4 mapped into IPv6, is not "unicast"
  const isPublic = parsed?.range() === 'unicast' && !isCompatible;
  if (isPublic && !metadataAddresses.has(address)) return;
  throw new DeniedReceiverError('the host has an address that is not public; see --webhook-allow-hosts');
}
