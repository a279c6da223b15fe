import { getDomain } from 'tldts';

/**
 * Domains in which each customer of a registry service has a host of their own, and which are not
 * in the public suffix list: `a.azurecr.io` and `b.azurecr.io` belong to different ones.
 */
const sharedDomains = [
  ...['azurecr.io', 'azurecr.cn', 'azurecr.us', 'amazonaws.com', 'amazonaws.com.cn', 'jfrog.io', 'ocir.io'],
  ...['pkg.dev', 'gcr.io', 'scw.cloud', 'vultrcr.com', 'cr.aliyuncs.com'],
];

/**
 * Whether a registry's token service may get the credentials for the registry: it is on the same
 * host, or both are in the same domain, like `registry-1.docker.io` and `auth.docker.io`.
 * containerd and oras send them to every service that the registry names. Domains in which
 * everyone can have one are not the same: the public suffix list has them.
 */
export function isOwnTokenService(service: URL, registry: URL): boolean {
  if (service.hostname === registry.hostname) return true;
  const domain = domainOf(service.hostname);
  return domain !== undefined && domain === domainOf(registry.hostname);
}

/** Returns the domain that a host is in; undefined for an address and for a name without dots. */
function domainOf(hostname: string): string | undefined {
  const host = hostname.replace(/\.$/, '').toLowerCase();
  const isShared = sharedDomains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  return isShared ? host : (getDomain(host, { allowPrivateDomains: true }) ?? undefined);
}
