import { isKubeError } from '../kube/index.ts';

/** A cluster that cannot be reached, in Helm's words. */
class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly code = 'unreachable';
}

/**
 * Returns the error, with the text of Helm if no request has reached the cluster (pkg/kube).
 */
export function withHelmText(error: unknown, server: string): unknown {
  if (!isKubeError(error, 'unreachable')) return error;
  const request = `Get ${JSON.stringify(`${server}/version`)}`;
  return new UnreachableError(`kubernetes cluster unreachable: ${request}: ${reasonOf(error)}`, { cause: error });
}

/** The errors of Node that Go has other words for. */
const goTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'read: connection reset by peer',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

function reasonOf(error: Error): string {
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const {
    code = '',
    address,
    port,
    hostname,
  } = cause as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
    hostname?: string;
  };
  if (code === 'ENOTFOUND' && hostname !== undefined) return `dial tcp: lookup ${hostname}: no such host`;
  const text = goTexts[code];
  if (text === undefined || address === undefined || port === undefined) return cause.message;
  return `dial tcp ${address}:${port}: ${text}`;
}
