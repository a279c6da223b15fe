import test from 'ava';
import { batchesOfKind } from '../../../src/operation/apply/apply.ts';
import { type ReleaseObject, subtractObjects } from '../../../src/operation/apply/release-object.ts';

function releaseObject(kind: string, name: string, apiVersion = 'v1', namespace = 'default'): ReleaseObject {
  const ref = { apiVersion, kind, name, namespace };
  return { ref, object: { ...ref, metadata: { name, namespace } }, namespaced: true };
}

test('matches an object in another API version of its group', (t) => {
  const before = releaseObject('HorizontalPodAutoscaler', 'a', 'autoscaling/v1');
  const after = releaseObject('HorizontalPodAutoscaler', 'a', 'autoscaling/v2');
  t.deepEqual(subtractObjects([before], [after]), []);
});

test('distinguishes objects by group, kind, namespace and name', (t) => {
  const one = releaseObject('Ingress', 'a', 'networking.k8s.io/v1');
  const others = [
    releaseObject('Ingress', 'a', 'extensions/v1'),
    releaseObject('Ingresses', 'a', 'networking.k8s.io/v1'),
    releaseObject('Ingress', 'b', 'networking.k8s.io/v1'),
    releaseObject('Ingress', 'a', 'networking.k8s.io/v1', 'other'),
  ];
  t.is(subtractObjects(others, [one]).length, 4);
});

test('makes a batch of adjacent objects of one kind, each one once', (t) => {
  const batches = batchesOfKind([
    releaseObject('A', '1'),
    releaseObject('A', '2'),
    releaseObject('B', '1'),
    releaseObject('A', '3'),
    releaseObject('A', '3'),
  ]);
  t.deepEqual(
    batches.map((batch) => batch.map(({ ref }) => `${ref.kind}${ref.name}`)),
    [['A1', 'A2'], ['B1'], ['A3'], ['A3']],
  );
});
