import type { RequestOptions } from 'node:https';

/** How a client identifies itself, and whom it trusts. */
export interface TlsMaterial {
  ca?: unknown;
  cert?: unknown;
  key?: unknown;
  servername?: string | undefined;
  rejectUnauthorized?: boolean | undefined;
}

export function tlsMaterial(options: RequestOptions): TlsMaterial {
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  return { ca, cert, key, servername, rejectUnauthorized };
}

export function definedMaterial(material: TlsMaterial): object {
  return Object.fromEntries(Object.entries(material).filter(([, value]) => value !== undefined));
}
