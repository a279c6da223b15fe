import { isKubeError } from './kube-error.ts';
import type { Transport } from './transport.ts';

/** Limit for containers that write no newlines: their last line can be as long as the log file. */
const maxBytes = 1024 * 1024;

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
      path: `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}/log`,
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
