import { type JsonObject, numberAt, objectAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { conditionsOf, withConditions } from '../cluster/conditions.ts';
import { type Controller, type ControllerTools, itself } from './controller.ts';
import { isPodReady, keyOf, pods, selects, typeOf, writeStatus } from './workload.ts';

/** Returns the controllers of kinds that only need a status, a moment after they were written. */
export function simpleControllers(): Controller[] {
  return [
    simpleController('persistentvolumeclaim', '/persistentvolumeclaims', bindClaim),
    simpleController('persistentvolume', '/persistentvolumes', (volume, tools) => {
      if (stringAt(volume, 'status', 'phase') === 'Pending') writeStatus(tools, volume, { phase: 'Available' });
    }),
    simpleController('service', '/services', (service, tools) => {
      if (stringAt(service, 'spec', 'type') === 'LoadBalancer')
        writeStatus(tools, service, { loadBalancer: loadBalancer });
    }),
    simpleController('ingress', 'networking.k8s.io/ingresses', (ingress, tools) =>
      writeStatus(tools, ingress, { loadBalancer: loadBalancer }),
    ),
    simpleController('apiservice', 'apiregistration.k8s.io/apiservices', (service, tools) => {
      const message = 'all checks passed';
      const available = { type: 'Available', status: 'True', reason: 'Passed', message } as const;
      writeStatus(tools, service, { conditions: withConditions(tools, conditionsOf(service), available) });
    }),
    simpleController('horizontalpodautoscaler', 'autoscaling/horizontalpodautoscalers', scaleStatus),
    simpleController('poddisruptionbudget', 'policy/poddisruptionbudgets', budgetStatus),
  ];
}

/** Delay until the status is written, in simulated milliseconds. */
const statusDelay = 200;

const loadBalancer = { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP' }] };

function simpleController(
  name: string,
  collection: string,
  updateStatus: (object: KubeObject, tools: ControllerTools) => void,
): Controller {
  // Time and generation of the next status, by namespace and name.
  const due = new Map<string, { id: string; time: number }>();
  return {
    name,
    watches: { [collection]: itself },
    reconcile(key, tools) {
      const object = tools.store.get(collection, key.namespace, key.name);
      const objectKey = `${key.namespace}/${key.name}`;
      if (!object || object.metadata.deletionTimestamp !== undefined) {
        due.delete(objectKey);
        return;
      }
      const id = `${object.metadata.uid ?? ''} ${object.metadata.generation ?? 0}`;
      const known = due.get(objectKey);
      const time = known?.id === id ? known.time : tools.elapsed() + statusDelay;
      due.set(objectKey, { id, time });
      if (time > tools.elapsed()) tools.requeueAfter(time - tools.elapsed() + 1);
      else updateStatus(object, tools);
    },
  };
}

function bindClaim(claim: KubeObject, tools: ControllerTools): void {
  if (stringAt(claim, 'status', 'phase') === 'Bound') return;
  const { namespace, name } = keyOf(claim);
  const storage = objectAt(claim, 'spec', 'resources', 'requests');
  const bound = tools.objects.update(typeOf(tools, 'v1', 'PersistentVolumeClaim'), namespace, name, (next) => ({
    ...next,
    spec: { ...objectAt(next, 'spec'), volumeName: `pvc-${claim.metadata.uid ?? ''}` },
  }));
  writeStatus(tools, bound, {
    phase: 'Bound',
    accessModes: objectAt(claim, 'spec')['accessModes'] ?? [],
    capacity: storage,
  });
}

function scaleStatus(autoscaler: KubeObject, tools: ControllerTools): void {
  // Not validated; an unknown kind is not found.
  const { kind = '', name = '' } = objectAt(autoscaler, 'spec', 'scaleTargetRef') as { kind?: string; name?: string };
  const type = tools.registry.byKind('apps/v1', kind);
  const target = type && tools.objects.find(type, autoscaler.metadata.namespace ?? '', name);
  const replicas = (target && numberAt(target, 'spec', 'replicas')) ?? 0;
  const able = {
    type: 'AbleToScale',
    status: 'True',
    reason: 'SucceededGetScale',
    message: "the HPA controller was able to get the target's current scale",
  } as const;
  const active = {
    type: 'ScalingActive',
    status: 'True',
    reason: 'ValidMetricFound',
    message: 'the HPA was able to successfully calculate a replica count',
  } as const;
  writeStatus(tools, autoscaler, {
    currentReplicas: replicas,
    desiredReplicas: replicas,
    currentMetrics: null,
    conditions: withConditions(tools, conditionsOf(autoscaler), able, active),
  });
}

function budgetStatus(budget: KubeObject, tools: ControllerTools): void {
  const selected = tools.store.list(pods, budget.metadata.namespace).filter((pod) => selects(budget, pod));
  const healthy = selected.filter(isPodReady).length;
  const status: JsonObject = {
    observedGeneration: budget.metadata.generation,
    currentHealthy: healthy,
    desiredHealthy: Math.min(healthy, selected.length),
    disruptionsAllowed: 0,
    expectedPods: selected.length,
  };
  const sufficient = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'InsufficientPods',
    observedGeneration: budget.metadata.generation,
  } as const;
  writeStatus(tools, budget, {
    ...status,
    conditions: withConditions(tools, conditionsOf(budget), { ...sufficient, message: '' }),
  });
}
