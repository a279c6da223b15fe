import test from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import { configMap, type Environment, newNamespace } from './environment.ts';

/** Selectors of labels and fields. */
export function selecting(open: () => Environment): void {
  const labelled: Record<string, Record<string, string>> = {
    a: { app: 'web', tier: 'front' },
    b: { app: 'web', tier: 'back' },
    c: { app: 'db' },
    d: {},
  };
  const selections: [labelSelector: string, names: string[]][] = [
    ['app=web', ['a', 'b']],
    ['app==web,tier=front', ['a']],
    ['app!=web', ['c', 'd']],
    ['tier', ['a', 'b']],
    ['!tier', ['c', 'd']],
    ['app in (web, db)', ['a', 'b', 'c']],
    ['app notin (web)', ['c', 'd']],
    ['app in (web),tier notin (front)', ['b']],
    ['app=none', []],
  ];

  test('label selectors filter a list', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    for (const [name, labels] of Object.entries(labelled)) {
      await cluster.create({ ...configMap(namespace, name), metadata: { name, namespace, labels } });
    }
    for (const [labelSelector, expected] of selections) {
      const query = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace,
        labelSelector,
        fieldSelector: 'metadata.name!=kube-root-ca.crt',
      };
      t.deepEqual(namesOf(await cluster.list(query)), expected, labelSelector);
    }
  });

  test('field selectors filter by name, and items have their apiVersion and kind', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    await cluster.create(configMap(namespace, 'a'));
    await cluster.create(configMap(namespace, 'b'));
    const query = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      fieldSelector: `metadata.name=b,metadata.namespace=${namespace}`,
    };
    const found = await cluster.list(query);
    t.deepEqual(namesOf(found), ['b']);
    t.like(found[0], { apiVersion: 'v1', kind: 'ConfigMap' });
  });

  test('field selectors filter events by the object that they are about', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    for (const name of ['one', 'two']) {
      await cluster.create({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: `event-${name}`, namespace },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: `uid-${name}` },
        reason: 'Tested',
        message: 'seen',
        type: 'Normal',
        source: { component: 'suite' },
      });
    }
    const query = { apiVersion: 'v1', kind: 'Event', namespace };
    const byName = await cluster.list({ ...query, fieldSelector: 'involvedObject.name=one,involvedObject.kind=Pod' });
    t.deepEqual(namesOf(byName), ['event-one']);
    t.deepEqual(namesOf(await cluster.list({ ...query, fieldSelector: 'involvedObject.uid=uid-two' })), ['event-two']);
  });
}

function namesOf(objects: KubeObject[]): string[] {
  return objects.map(({ metadata }) => metadata.name);
}
