import { numberAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { nameSuffix, timestamp } from '../sandbox-host.ts';
import { typeOf } from './workload.ts';

/** Records an Event about an object. If the same Event exists, its count is incremented. */
export function recordEvent(
  state: ClusterState,
  about: KubeObject,
  event: { type: 'Normal' | 'Warning'; reason: string; message: string; component: string; fieldPath?: string },
): void {
  const type = typeOf(state, 'v1', 'Event');
  const { namespace = 'default', name, uid, resourceVersion } = about.metadata;
  const now = timestamp(state.host);
  const same = state.store
    .list('/events', namespace)
    .find((old) => old['reason'] === event.reason && old['message'] === event.message && isAbout(old, uid));
  if (same) {
    const counted = (current: KubeObject): KubeObject => ({
      ...current,
      count: (numberAt(current, 'count') ?? 1) + 1,
      lastTimestamp: now,
    });
    state.objects.update(type, namespace, same.metadata.name, counted);
    return;
  }
  if (state.store.get('/namespaces', '', namespace)?.metadata.deletionTimestamp !== undefined) return;
  state.objects.create(type, namespace, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${nameSuffix(state.host, 16)}`, namespace },
    involvedObject: {
      kind: about.kind,
      namespace,
      name,
      uid,
      apiVersion: about.apiVersion,
      resourceVersion,
      ...(event.fieldPath !== undefined && { fieldPath: event.fieldPath }),
    },
    reason: event.reason,
    message: event.message,
    source: { component: event.component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type: event.type,
    eventTime: null,
    reportingComponent: event.component,
    reportingInstance: '',
  });
}

function isAbout(event: KubeObject, uid: string | undefined): boolean {
  // Not validated: clients can write Events, too.
  const { involvedObject } = event as { involvedObject?: { uid?: string } };
  return involvedObject?.uid === uid;
}
