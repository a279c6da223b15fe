import { isIP } from 'node:net';

/** Domains in which everyone can register a domain: `co.uk`, `com.au`, but not `docker.io`. */
const publicSuffix = /^(?:ac|co|com|edu|gov|ltd|mil|net|nom|or|org)\.[a-z]{2}$/;

/**
 * Whether a registry's token service may get the credentials for the registry: it is on the same
 * host, or both are in the same domain, like `registry-1.docker.io` and `auth.docker.io`.
 * containerd and oras send them to every service that the registry names.
 */
export function isOwnTokenService(service: URL, registry: URL): boolean {
  if (service.hostname === registry.hostname) return true;
  const domain = domainOf(service.hostname);
  return domain !== undefined && domain === domainOf(registry.hostname);
}

/** Returns the domain that a host is in; undefined for an address and for a name without dots. */
function domainOf(hostname: string): string | undefined {
  if (hostname.startsWith('[') || isIP(hostname) !== 0) return undefined;
  const labels = hostname.replace(/\.$/, '').split('.');
  if (labels.length < 2) return undefined;
  const size = publicSuffix.test(labels.slice(-2).join('.')) ? 3 : 2;
  return labels.length < size ? undefined : labels.slice(-size).join('.');
}
