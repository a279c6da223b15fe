import { badRequest } from '../api-error.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { objectAt, objectsAt, stringAt } from '../../objects/fields.ts';
import type { ApiResponse } from './response.ts';
import { behaviourOfPod, logOf } from '../simulation/behaviour.ts';
import type { ObjectAddress } from './object-address.ts';

/** Handles GET of `pods/NAME/log`. Throws a 400 for a container that has not run. */
export function podLog(
  state: ClusterState,
  { type, namespace, name }: ObjectAddress,
  query: URLSearchParams,
): ApiResponse {
  const pod = state.objects.get(type, namespace, name);
  const containers = [...objectsAt(pod, 'spec', 'containers'), ...objectsAt(pod, 'spec', 'initContainers')];
  const container = query.get('container') ?? stringAt(containers[0], 'name') ?? '';
  const found = containers.find((candidate) => candidate['name'] === container);
  if (!found) {
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
    const reason = waiting ?? 'ContainerCreating';
    const text =
      reason === 'ContainerCreating' || reason === 'PodInitializing'
        ? 'is waiting to start'
        : 'is waiting to start: trying and failing to pull image';
    throw badRequest(
      `container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} ${text}${text.endsWith('start') ? `: ${reason}` : ''}`,
    );
  }
  return { status: 200, text: tailOf(logOf(pod, found, behaviourOfPod(state, pod)), query.get('tailLines')) };
}

function tailOf(log: string, tailLines: string | null): string {
  if (log === '') return '';
  const lines = log.split('\n');
  return `${lines.slice(Math.max(0, lines.length - Number(tailLines ?? lines.length))).join('\n')}\n`;
}
