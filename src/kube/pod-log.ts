import { isKubeError } from './kube-error.ts';
import type { Transport } from './transport.ts';

/** No log line is worth more: the tail of a container that writes without newlines could be as long as its log file. */
const mostBytes = 1024 * 1024;

/** The last lines of a container's log. Empty where there is none: no such pod, or a container that has not run. */
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
        limitBytes: String(mostBytes),
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
