import test from 'ava';
import { fakeServer, fastTimes, json } from './fake-server.ts';

const document = {
  components: {
    schemas: {
      'io.example.Pod': {
        properties: {
          metadata: { allOf: [{ $ref: '#/components/schemas/io.example.Meta' }], default: {} },
          spec: { $ref: '#/components/schemas/io.example.PodSpec' },
        },
        'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
      },
      'io.example.Meta': {
        properties: {
          finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
      'io.example.PodSpec': {
        properties: {
          containers: {
            type: 'array',
            items: { allOf: [{ $ref: '#/components/schemas/io.example.Container' }], default: {} },
            'x-kubernetes-patch-strategy': 'merge,retainKeys',
            'x-kubernetes-patch-merge-key': 'name',
          },
          selector: { type: 'object', 'x-kubernetes-patch-strategy': 'replace' },
          parts: {
            type: 'object',
            additionalProperties: { $ref: '#/components/schemas/io.example.PodSpec' },
          },
        },
      },
      'io.example.Container': { properties: { image: { type: 'string' } } },
    },
  },
};

test("reads how fields merge from the server's OpenAPI document, once for a group version", async (t) => {
  const { cluster, requests } = await fakeServer(t, (_, response) => json(response, 200, document));
  const pod = await cluster.patchSchema('v1', 'Pod');
  const spec = pod?.field('spec').schema;
  t.like(spec?.field('containers'), { strategy: 'merge', mergeKey: 'name', retainKeys: true });
  t.like(spec?.field('containers').schema.field('image'), { strategy: undefined });
  t.like(spec?.field('selector'), { strategy: 'replace' });
  t.like(spec?.field('other'), { strategy: undefined, mergeKey: undefined, retainKeys: false });
  t.like(pod?.field('metadata').schema.field('finalizers'), { strategy: 'merge', mergeKey: undefined });
  const nested = spec?.field('parts').schema.field('any').schema.field('containers');
  t.like(nested, { strategy: 'merge', mergeKey: 'name' }, 'schemas refer to themselves');
  t.is(await cluster.patchSchema('v1', 'Unknown'), undefined);
  t.deepEqual(requests, ['GET /openapi/v3/api/v1']);
});

test('a custom resource has no strategic merge patch, and needs no request', async (t) => {
  const { cluster, requests } = await fakeServer(t, (_, response) => json(response, 200, document));
  t.is(await cluster.patchSchema('example.com/v1', 'Pod'), undefined);
  t.deepEqual(requests, []);
});

test('reads the document again after a failure', async (t) => {
  let failures = 1 + fastTimes.retryDelays.length;
  const { cluster } = await fakeServer(t, (_, response) => {
    const fails = failures-- > 0;
    json(response, fails ? 500 : 200, fails ? {} : document);
  });
  await t.throwsAsync(cluster.patchSchema('v1', 'Pod'), { code: 'server_error' });
  t.truthy(await cluster.patchSchema('v1', 'Pod'));
});
