import test from 'ava';
import { configMap, type Environment, newNamespace } from './environment.ts';
import { deployment } from './workload-objects.ts';

/** The generation, and the subresources status and scale. */
export function subresources(open: () => Environment): void {
  test('the generation counts only changes of the spec', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const service = await cluster.create({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'n', namespace },
      spec: { podSelector: {} },
    });
    t.is(service.metadata.generation, 1);
    const ref = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', namespace, name: 'n' };
    const labelled = await cluster.mergePatch(ref, { metadata: { labels: { a: 'b' } } });
    t.is(labelled.metadata.generation, 1);
    const changed = await cluster.mergePatch(ref, { spec: { podSelector: { matchLabels: { a: 'b' } } } });
    t.is(changed.metadata.generation, 2);
    const plain = await cluster.create(configMap(namespace, 'a'));
    t.is(plain.metadata.generation, undefined);
  });

  test('a write of an object does not change the status, and a write of the status changes nothing else', async (t) => {
    const { cluster, raw } = open();
    const namespace = await newNamespace(t, open());
    const { spec, ...rest } = deployment(namespace, 'web');
    const paused = { ...rest, spec: { ...(spec as object), replicas: 0, paused: true } };
    await cluster.create({ ...paused, status: { replicas: 7 } });
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
    const patched = await cluster.mergePatch(ref, { status: { collisionCount: 7 } });
    t.not((patched['status'] as { collisionCount?: number }).collisionCount, 7);
    const { status, body } = await raw('PATCH', `/apis/apps/v1/namespaces/${namespace}/deployments/web/status`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { replicas: 9 }, status: { collisionCount: 5 } },
    });
    t.is(status, 200);
    t.like(body, { spec: { replicas: 0 }, status: { collisionCount: 5 } });
  });

  test('the scale subresource of a Deployment reads and writes its replicas', async (t) => {
    const { cluster, raw } = open();
    const namespace = await newNamespace(t, open());
    const { spec, ...rest } = deployment(namespace, 'web');
    await cluster.create({ ...rest, spec: { ...(spec as object), replicas: 0 } });
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web/scale`;
    const { body } = await raw('GET', path);
    t.like(body, {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', namespace },
      spec: {},
      status: { replicas: 0, selector: 'app=web' },
    });
    const scale = {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', namespace },
      spec: { replicas: 1 },
    };
    t.like((await raw('PUT', path, { body: scale })).body, { spec: { replicas: 1 } });
    const scaled = await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' });
    t.like(scaled, { spec: { replicas: 1 } });
  });
}
