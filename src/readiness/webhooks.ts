import { fieldAt, listAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { inProgress, type Readiness } from './status.ts';

const webhookKinds: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
]);

/** Label of an EndpointSlice with the name of its Service. */
const serviceLabel = 'kubernetes.io/service-name';

/** Whether objects of this kind, such as `batch/Job`, call webhooks. */
export function isWebhookKind(groupKind: string): boolean {
  return webhookKinds.has(groupKind);
}

interface ServiceName {
  namespace: string;
  name: string;
}

/**
 * Returns the Services without which the API server refuses requests: those of webhooks that must
 * not fail.
 */
export function requiredServices(configuration: KubeObject): ServiceName[] {
  return listAt(configuration, 'webhooks')
    .filter((webhook) => (stringAt(webhook, 'failurePolicy') ?? 'Fail') === 'Fail')
    .flatMap((webhook) => {
      const name = stringAt(webhook, 'clientConfig', 'service', 'name');
      const namespace = stringAt(webhook, 'clientConfig', 'service', 'namespace');
      return name === undefined || namespace === undefined ? [] : [{ namespace, name }];
    });
}

/**
 * Returns why webhooks cannot be called yet: a Service has EndpointSlices, and none of their
 * endpoints is ready. Undefined if each one is, or if the Service has no EndpointSlice, because
 * another cluster or nothing at all may serve it.
 */
export function webhookReadiness(
  configuration: KubeObject,
  endpointSlices: readonly KubeObject[],
): Readiness | undefined {
  const byService = Map.groupBy(
    endpointSlices,
    ({ metadata }) => `${metadata.namespace ?? ''}/${metadata.labels?.[serviceLabel] ?? ''}`,
  );
  const waiting = requiredServices(configuration).find(({ namespace, name }) => {
    const slices = byService.get(`${namespace}/${name}`);
    return slices !== undefined && !slices.some(hasReadyEndpoint);
  });
  return waiting && inProgress(`no endpoint of the Service ${waiting.namespace}/${waiting.name} is ready`);
}

/** Whether an endpoint is ready. As the API defines it, one without the condition is. */
function hasReadyEndpoint(slice: KubeObject): boolean {
  return listAt(slice, 'endpoints').some((endpoint) => fieldAt(endpoint, 'conditions', 'ready') !== false);
}
