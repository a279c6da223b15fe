import { fieldAt, integerAt, type JsonObject, objectAt, objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { badRequest } from '../api-error.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { behaviourOfPod, logOf } from '../simulation/behaviour.ts';
import type { ObjectAddress } from './object-address.ts';
import type { ApiRequest } from './request.ts';
import type { ApiResponse } from './response.ts';

/** Handles GET of `pods/NAME/log`. Throws a 400 for a container that has not run. */
export function podLog(
  state: ClusterState,
  { type, namespace, name }: ObjectAddress,
  { query, signal }: ApiRequest,
): ApiResponse {
  const pod = state.objects.get(type, namespace, name);
  const containers = [...objectsAt(pod, 'spec', 'containers'), ...objectsAt(pod, 'spec', 'initContainers')];
  const container = query.get('container') ?? stringAt(containers[0], 'name') ?? '';
  const found = containers.find((candidate) => candidate['name'] === container);
  if (!found) {
    throw badRequest(`container ${container} is not valid for pod ${name}`);
  }
  const status = statusOf(pod, container);
  const waiting = stringAt(status, 'state', 'waiting', 'reason');
  const ranBefore = Object.keys(objectAt(status, 'lastState', 'terminated')).length > 0;
  const isPrevious = query.get('previous') === 'true';
  if (isPrevious && !ranBefore) {
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
  const log = logOf(pod, found, behaviourOfPod(state, pod));
  const lines = log === '' ? [] : log.split('\n');
  const run = (integerAt(status, 'restartCount') ?? 0) - (isPrevious && waiting === undefined ? 1 : 0);
  const times = lineTimes(pod, run);
  const shown = tailOf(lines, query.get('tailLines')).map((line, index) =>
    query.get('timestamps') === 'true' ? `${times(index)} ${line}` : line,
  );
  const text = shown.map((line) => `${line}\n`).join('');
  if (query.get('follow') !== 'true') return { status: 200, text };
  return {
    async stream(response) {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write(text);
      response.flushHeaders();
      await runEnd(state, {
        isOver: () => !isRunning(state.objects.find(type, namespace, name), container, run),
        signal,
      });
      response.end();
    },
  };
}

function statusOf(pod: KubeObject | undefined, container: string): JsonObject | undefined {
  return [...objectsAt(pod, 'status', 'containerStatuses'), ...objectsAt(pod, 'status', 'initContainerStatuses')].find(
    (candidate) => candidate['name'] === container,
  );
}

/** Returns the times of the lines of a run, which differ in their nanoseconds only. */
function lineTimes(pod: KubeObject, run: number): (index: number) => string {
  const seconds = (stringAt(pod, 'status', 'startTime') ?? '').replace(/Z$/, '');
  return (index) => `${seconds}.${String(run * 1_000_000 + index).padStart(9, '0')}Z`;
}

function tailOf(lines: readonly string[], tailLines: string | null): string[] {
  return lines.slice(Math.max(0, lines.length - Number(tailLines ?? lines.length)));
}

function isRunning(pod: KubeObject | undefined, container: string, run: number): boolean {
  const status = statusOf(pod, container);
  return fieldAt(status, 'state', 'running') !== undefined && integerAt(status, 'restartCount') === run;
}

/** Resolves when the run of a container is over, or when the client has gone. */
async function runEnd(
  { store }: ClusterState,
  { isOver, signal }: { isOver: () => boolean; signal: AbortSignal },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const check = () => {
    if (isOver() || signal.aborted) resolve(undefined);
  };
  const unsubscribe = store.subscribe(check);
  signal.addEventListener('abort', check);
  check();
  await promise;
  unsubscribe();
}
