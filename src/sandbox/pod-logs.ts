import { badRequest } from './api-error.ts';
import type { ClusterState } from './cluster-state.ts';
import { objectAt, objectsAt, stringAt } from './json.ts';
import type { ApiResponse } from './response.ts';
import type { Target } from './router.ts';

/** What a simulated container prints; a pod says it in this annotation. */
export const logAnnotation = 'sandbox.helm-agent/log';

/** `pods/NAME/log`. Fails with 400 for a container that has not run. */
export function podLog(state: ClusterState, { type, namespace, name }: Target, query: URLSearchParams): ApiResponse {
  const pod = state.objects.get(type, namespace, name);
  const containers = [...objectsAt(pod, 'spec', 'containers'), ...objectsAt(pod, 'spec', 'initContainers')];
  const container = query.get('container') ?? stringAt(containers[0], 'name') ?? '';
  if (!containers.some((candidate) => candidate['name'] === container)) {
    throw badRequest(`container ${container} is not valid for pod ${name}`);
  }
  const statuses = [
    ...objectsAt(pod, 'status', 'containerStatuses'),
    ...objectsAt(pod, 'status', 'initContainerStatuses'),
  ];
  const status = statuses.find((candidate) => candidate['name'] === container);
  const waiting = stringAt(status, 'state', 'waiting', 'reason');
  const ranBefore = Object.keys(objectAt(status, 'lastState', 'terminated')).length > 0;
  if (query.get('previous') === 'true' && !ranBefore) {
    throw badRequest(
      `previous terminated container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} not found`,
    );
  }
  if (status === undefined || (waiting !== undefined && !ranBefore)) {
    const why = waiting ?? 'ContainerCreating';
    const text =
      why === 'ContainerCreating' || why === 'PodInitializing'
        ? 'is waiting to start'
        : 'is waiting to start: trying and failing to pull image';
    throw badRequest(
      `container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} ${text}${text.endsWith('start') ? `: ${why}` : ''}`,
    );
  }
  const lines = (pod.metadata.annotations?.[logAnnotation] ?? 'started').split('\n');
  const tail = Number(query.get('tailLines') ?? lines.length);
  return { status: 200, text: `${lines.slice(Math.max(0, lines.length - tail)).join('\n')}\n` };
}
