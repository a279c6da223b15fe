import test from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import type { RelatedObjects } from '../../src/readiness/related-objects.ts';
import type { Readiness } from '../../src/readiness/status.ts';
import { waitReadiness } from '../../src/readiness/wait-readiness.ts';

const nothing: RelatedObjects = { replicaSets: [], pods: [], events: [] };

const claim = (phase: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'shop', uid: 'data' },
  status: { phase },
});

function event(reason: string, second: number, uid = 'data'): KubeObject {
  const lastTimestamp = new Date(second * 1000).toISOString();
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: reason },
    reason,
    lastTimestamp,
    involvedObject: { uid },
  };
}

function webhooks(kind: string, ...list: { service?: string; failurePolicy?: string }[]): KubeObject {
  const webhooksOf = list.map(({ service, failurePolicy }) => ({
    ...(failurePolicy !== undefined && { failurePolicy }),
    clientConfig: service === undefined ? { url: 'https://a' } : { service: { namespace: 'shop', name: service } },
  }));
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'a' }, webhooks: webhooksOf };
}

function slice(service: string, ...ready: (boolean | undefined)[]): KubeObject {
  const labels = { 'kubernetes.io/service-name': service };
  const endpoints = ready.map((one) => ({
    addresses: ['10.0.0.1'],
    conditions: one === undefined ? {} : { ready: one },
  }));
  const metadata = { name: `${service}-x`, namespace: 'shop', labels };
  return { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, endpoints };
}

const validating = 'ValidatingWebhookConfiguration';
const waiting = 'no endpoint of the Service shop/web is ready';
const unbound = 'PVC is not Bound. phase: Pending';

const cases: [
  title: string,
  object: KubeObject,
  around: Partial<RelatedObjects>,
  expected: [Readiness['status'], string?],
][] = [
  ['a claim without events', claim('Pending'), {}, ['InProgress', unbound]],
  ['a claim that no pod uses', claim('Pending'), { events: [event('WaitForFirstConsumer', 1)] }, ['Current']],
  [
    'a claim that waits for the node of its pod',
    claim('Pending'),
    { events: [event('WaitForPodScheduled', 9), event('WaitForFirstConsumer', 1)] },
    ['InProgress', unbound],
  ],
  [
    'a claim whose volume is being provisioned',
    claim('Pending'),
    { events: [event('WaitForFirstConsumer', 1), event('Provisioning', 2)] },
    ['InProgress', unbound],
  ],
  [
    'a claim beside one that no pod uses',
    claim('Pending'),
    { events: [event('WaitForFirstConsumer', 1, 'other')] },
    ['InProgress', unbound],
  ],
  [
    'a claim that has lost its volume',
    claim('Lost'),
    { events: [event('WaitForFirstConsumer', 1)] },
    ['InProgress', 'PVC is not Bound. phase: Lost'],
  ],
  [
    'a webhook without ready endpoints',
    webhooks(validating, { service: 'web' }),
    { endpointSlices: [slice('web', false)] },
    ['InProgress', waiting],
  ],
  [
    'a webhook without endpoints',
    webhooks('MutatingWebhookConfiguration', { service: 'web' }),
    { endpointSlices: [slice('web')] },
    ['InProgress', waiting],
  ],
  [
    'a webhook with a ready endpoint in one of two slices',
    webhooks(validating, { service: 'web' }),
    { endpointSlices: [slice('web', false), slice('web', true), slice('other')] },
    ['Current'],
  ],
  [
    'a webhook whose endpoint has no condition',
    webhooks(validating, { service: 'web' }),
    { endpointSlices: [slice('web', undefined)] },
    ['Current'],
  ],
  [
    'a webhook whose Service has no EndpointSlice',
    webhooks(validating, { service: 'web' }),
    { endpointSlices: [slice('other')] },
    ['Current'],
  ],
  [
    'a webhook that may fail',
    webhooks(validating, { service: 'web', failurePolicy: 'Ignore' }),
    { endpointSlices: [slice('web')] },
    ['Current'],
  ],
  ['a webhook with a URL', webhooks(validating, {}), { endpointSlices: [slice('web')] }, ['Current']],
];

for (const [title, object, around, [status, message]] of cases) {
  test(`${title} is ${status}`, (t) => {
    const readiness = waitReadiness(object, () => ({ ...nothing, ...around }), { now: 0 });
    t.is(readiness.status, status);
    if (message !== undefined) t.is(readiness.message, message);
  });
}
