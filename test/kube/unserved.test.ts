import type { ServerResponse } from 'node:http';
import test from 'ava';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import { KubeError } from '../../src/kube/kube-error.ts';
import { failure, fakeServer, fastTimes, json, missing } from './fake-server.ts';

const ref = { apiVersion: 'e.io/v1alpha1', kind: 'Gadget', namespace: 'team', name: 'a' };
const object = { apiVersion: ref.apiVersion, kind: ref.kind, metadata: { namespace: 'team', name: 'a' } };

async function firstChange(cluster: KubeCluster): Promise<unknown> {
  for await (const change of cluster.observe(ref, new AbortController().signal)) return change;
  return undefined;
}

const requests: [title: string, send: (cluster: KubeCluster) => Promise<unknown>][] = [
  ['get', (cluster) => cluster.get(ref)],
  ['list', (cluster) => cluster.list(ref)],
  ['listPage', (cluster) => cluster.listPage({ ...ref, limit: 10 })],
  ['create', (cluster) => cluster.create(object)],
  ['replace', (cluster) => cluster.replace(object)],
  ['apply', (cluster) => cluster.apply(object, { fieldManager: 'm' })],
  ['mergePatch', (cluster) => cluster.mergePatch(ref, {})],
  ['strategicMergePatch', (cluster) => cluster.strategicMergePatch(ref, {})],
  ['delete', (cluster) => cluster.delete(ref)],
  ['observe', firstChange],
];

/** The group of {@link ref} in discovery: its kind at some versions, as some plural. */
const group = (versions: string[], resource = 'gadgets') => ({
  metadata: { name: 'e.io' },
  versions: versions.map((version) => ({
    version,
    resources: [{ resource, responseKind: { kind: 'Gadget' }, scope: 'Namespaced' }],
  })),
});

const pageNotFound = (response: ServerResponse) => response.writeHead(404).end('404 page not found\n');
const noSuchResource = (response: ServerResponse) =>
  json(response, 404, failure(404, 'NotFound', 'the server could not find the requested resource'));

/** A cluster that knows a kind, which `served` then replaces in discovery. */
async function cluster(
  t: Parameters<typeof fakeServer>[0],
  served: object,
  respond: (path: string, response: ServerResponse) => unknown,
) {
  let reads = 0;
  const server = await fakeServer(
    t,
    (request, response) => void respond(request.url ?? '', response),
    fastTimes,
    () => [reads++ === 0 ? group(['v1alpha1', 'v1']) : served],
  );
  await server.cluster.resourceKind(ref.apiVersion, ref.kind);
  return { ...server, reads: () => reads };
}

for (const [verb, send] of requests) {
  for (const [form, respond] of [
    ['of a custom resource', pageNotFound],
    ['of the core', noSuchResource],
  ] as const) {
    test(`${verb} of a kind ${form} that is no longer served fails as for an unknown kind`, async (t) => {
      const server = await cluster(t, group(['v1']), (_, response) => respond(response));
      const message = 'no matches for kind "Gadget" in version "e.io/v1alpha1"';
      await t.throwsAsync(send(server.cluster), { instanceOf: KubeError, code: 'unknown_kind', message });
      t.is(server.reads(), 2);
    });
  }

  test(`${verb} uses the new path of a kind`, async (t) => {
    const server = await cluster(t, group(['v1alpha1'], 'newgadgets'), (path, response) => {
      if (!path.includes('newgadgets')) pageNotFound(response);
      else if (path.includes('sendInitialEvents')) json(response, 422, failure(422, 'Invalid', 'no'));
      else json(response, 200, { metadata: { resourceVersion: '1' }, items: [] });
    });
    await t.notThrowsAsync(send(server.cluster));
    t.is(server.reads(), 2);
  });
}

for (const [verb, send] of requests.filter(([title]) => title !== 'observe')) {
  test(`${verb} does not take the 404 of a proxy for that of an object`, async (t) => {
    const server = await cluster(t, group(['v1alpha1']), (_, response) => response.writeHead(404).end('<h1>Oops</h1>'));
    const message = 'the API server responded with 404: <h1>Oops</h1>';
    await t.throwsAsync(send(server.cluster), { instanceOf: KubeError, code: 'server_error', message });
    t.is(server.requests.length, 2);
  });
}

for (const [form, served] of Object.entries({
  group: group([]),
  kind: { metadata: { name: 'other.io' }, versions: [] },
})) {
  test(`objects of a ${form} that is not served any more are gone`, async (t) => {
    const server = await cluster(t, served, (_, response) => pageNotFound(response));
    t.is(await server.cluster.get(ref), undefined);
    t.false(await server.cluster.delete(ref));
  });
}

test('an object that does not exist needs one request', async (t) => {
  const server = await cluster(t, group(['v1']), (_, response) => json(response, 404, missing('a')));
  t.is(await server.cluster.get(ref), undefined);
  t.false(await server.cluster.delete(ref));
  t.is(server.requests.length, 2);
  t.is(server.reads(), 1);
});
