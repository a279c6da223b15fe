import test from 'ava';
import { forEach, settleEach } from '../../../src/operation/apply/concurrency.ts';
import { batchesOfKind } from '../../../src/operation/apply/apply.ts';
import { without, type Target } from '../../../src/operation/apply/target.ts';

function target(kind: string, name: string, apiVersion = 'v1', namespace = 'default'): Target {
  const ref = { apiVersion, kind, name, namespace };
  return { ref, object: { ...ref, metadata: { name, namespace } }, namespaced: true };
}

test("an object is the same under another version of its group's API", (t) => {
  const before = target('HorizontalPodAutoscaler', 'a', 'autoscaling/v1');
  const after = target('HorizontalPodAutoscaler', 'a', 'autoscaling/v2');
  t.deepEqual(without([before], [after]), []);
});

test('objects of another group, kind, namespace or name are others', (t) => {
  const one = target('Ingress', 'a', 'networking.k8s.io/v1');
  const others = [
    target('Ingress', 'a', 'extensions/v1'),
    target('Ingresses', 'a', 'networking.k8s.io/v1'),
    target('Ingress', 'b', 'networking.k8s.io/v1'),
    target('Ingress', 'a', 'networking.k8s.io/v1', 'other'),
  ];
  t.is(without(others, [one]).length, 4);
});

test('neighbours of a kind are a batch', (t) => {
  const batches = batchesOfKind([target('A', '1'), target('A', '2'), target('B', '1'), target('A', '3')]);
  t.deepEqual(
    batches.map((batch) => batch.map(({ ref }) => `${ref.kind}${ref.name}`)),
    [['A1', 'A2'], ['B1'], ['A3']],
  );
});

test('not more than eight requests are under way, results keep the order, and a failure does not stop the others', async (t) => {
  let running = 0;
  let most = 0;
  const run = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, item % 3));
    running -= 1;
    if (item === 5) throw new Error('five');
    return item * 2;
  };
  const items = Array.from({ length: 30 }, (_, index) => index);
  const results = await settleEach(items, run);
  t.is(most, 8);
  t.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value / 2 : -1)),
    items.map((item) => (item === 5 ? -1 : item)),
  );
  await t.throwsAsync(forEach(items, run), { message: 'five' });
});
