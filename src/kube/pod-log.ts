import { apiPath } from '../objects/api-path.ts';
import { isKubeError } from './kube-error.ts';
import type { Transport } from './transport.ts';

/** Limit for containers that write no newlines: their last line can be as long as the log file. */
const maxBytes = 1024 * 1024;

const pods = { apiVersion: 'v1', resource: 'pods', namespaced: true };

/**
 * Returns the last lines of a container's log. Returns an empty string if there is no such pod, or
 * if the container has not started yet, which the API server refuses with 400.
 */
export async function readPodLog(
  transport: Transport,
  pod: { namespace: string; name: string; container: string },
  options: { tailLines: number; previous?: boolean; signal?: AbortSignal },
): Promise<string> {
  try {
    return await transport.text({
      method: 'GET',
      path: apiPath(pods, { namespace: pod.namespace, name: pod.name, subresource: 'log' }),
      query: {
        container: pod.container,
        tailLines: String(options.tailLines),
        limitBytes: String(maxBytes),
        previous: options.previous ? 'true' : undefined,
      },
      accept: '*/*',
      signal: options.signal,
    });
  } catch (error) {
    if (isKubeError(error, 'not_found', 'bad_request')) return '';
    throw error;
  }
}
