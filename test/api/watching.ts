import test from 'ava';
import type { ObservedChange } from '../../src/objects/cluster.ts';
import { configMap, type Environment, newNamespace } from './environment.ts';

interface RawEvent {
  type: string;
  object: {
    kind: string;
    code?: number;
    reason?: string;
    message?: string;
    metadata: { name?: string; resourceVersion: string; annotations?: Record<string, string> };
  };
}

/** Watches and paged lists. */
export function watching(open: () => Environment): void {
  /** Returns the events of a watch until the server ends it. */
  const watch = async (namespace: string, query: Record<string, string>): Promise<RawEvent[]> => {
    const search = new URLSearchParams({ watch: 'true', ...query });
    const { text } = await open().raw('GET', `/api/v1/namespaces/${namespace}/configmaps?${search.toString()}`);
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as RawEvent);
  };

  test('a watch from the version of a list reports what was added, changed and deleted', async (t) => {
    const { cluster, raw } = open();
    const namespace = await newNamespace(t, open());
    const before = await raw('GET', `/api/v1/namespaces/${namespace}/configmaps`);
    const { resourceVersion } = before.body['metadata'] as { resourceVersion: string };
    await cluster.create(configMap(namespace, 'a', { x: '1' }));
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' };
    const changed = await cluster.mergePatch(ref, { data: { x: '2' } });
    await cluster.delete(ref);
    const events = await watch(namespace, { resourceVersion, timeoutSeconds: '1', fieldSelector: 'metadata.name=a' });
    t.deepEqual(
      events.map(({ type }) => type),
      ['ADDED', 'MODIFIED', 'DELETED'],
    );
    t.is(events[1]?.object.metadata.resourceVersion, changed.metadata.resourceVersion);
    t.is(events[2]?.object.kind, 'ConfigMap');

    const resumed = await watch(namespace, {
      resourceVersion: changed.metadata.resourceVersion ?? '',
      timeoutSeconds: '1',
      fieldSelector: 'metadata.name=a',
    });
    t.deepEqual(
      resumed.map(({ type }) => type),
      ['DELETED'],
    );
  });

  test('a watch without a version starts with the current objects', async (t) => {
    const namespace = await newNamespace(t, open());
    await open().cluster.create(configMap(namespace, 'a'));
    const events = await watch(namespace, { timeoutSeconds: '1', fieldSelector: 'metadata.name=a' });
    t.like(events[0], { type: 'ADDED', object: { metadata: { name: 'a' } } });
  });

  test('a watch reports an object that stops matching its selector as deleted, and as added when it matches again', async (t) => {
    const { cluster, raw } = open();
    const namespace = await newNamespace(t, open());
    const before = await raw('GET', `/api/v1/namespaces/${namespace}/configmaps`);
    const { resourceVersion } = before.body['metadata'] as { resourceVersion: string };
    const object = configMap(namespace, 'a');
    await cluster.create({ ...object, metadata: { ...object.metadata, labels: { on: 'yes' } } });
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' };
    await cluster.mergePatch(ref, { metadata: { labels: { on: 'no' } } });
    await cluster.mergePatch(ref, { metadata: { labels: { on: 'yes' } } });
    const events = await watch(namespace, { resourceVersion, timeoutSeconds: '1', labelSelector: 'on=yes' });
    t.deepEqual(
      events.map(({ type }) => type),
      ['ADDED', 'DELETED', 'ADDED'],
    );
  });

  test('a watch with bookmarks gets one before it ends', async (t) => {
    const namespace = await newNamespace(t, open());
    const events = await watch(namespace, { timeoutSeconds: '4', allowWatchBookmarks: 'true' });
    const bookmark = events.find(({ type }) => type === 'BOOKMARK');
    t.is(bookmark?.object.kind, 'ConfigMap');
    t.regex(bookmark?.object.metadata.resourceVersion ?? '', /^\d+$/);
    t.is(bookmark?.object.metadata.name, undefined);
  });

  test('a watch with initial events gets them, and a bookmark at their end', async (t) => {
    const namespace = await newNamespace(t, open());
    await open().cluster.create(configMap(namespace, 'a'));
    const events = await watch(namespace, {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '1',
      fieldSelector: 'metadata.name=a',
    });
    t.deepEqual(
      events.slice(0, 2).map(({ type }) => type),
      ['ADDED', 'BOOKMARK'],
    );
    t.deepEqual(events[1]?.object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' });
  });

  test('observe yields a snapshot, then each change, and ends with its signal', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    await cluster.create(configMap(namespace, 'a', { x: '1' }));
    const stop = new AbortController();
    const seen: string[] = [];
    const query = { apiVersion: 'v1', kind: 'ConfigMap', namespace, fieldSelector: 'metadata.name!=kube-root-ca.crt' };
    for await (const change of cluster.observe(query, stop.signal)) {
      seen.push(describe(change));
      if (seen.length === 1) await cluster.create(configMap(namespace, 'b', { text: 'grüße 🙂' }));
      if (seen.length === 2) await cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' });
      if (seen.length === 3) stop.abort();
    }
    t.deepEqual(seen, ['snapshot a', 'changed b', 'deleted a']);
  });

  test('a list with a limit is paged, and each page has the token for the next', async (t) => {
    const { cluster, raw } = open();
    const namespace = await newNamespace(t, open());
    for (const name of ['a', 'b', 'c']) {
      const object = configMap(namespace, name);
      await cluster.create({ ...object, metadata: { ...object.metadata, labels: { paged: 'yes' } } });
    }
    const path = `/api/v1/namespaces/${namespace}/configmaps?limit=2&labelSelector=paged%3Dyes`;
    const first = (await raw('GET', path)).body as unknown as Page;
    t.deepEqual(namesOf(first), ['a', 'b']);
    t.is(first.kind, 'ConfigMapList');
    const second = (await raw('GET', `${path}&continue=${encodeURIComponent(first.metadata.continue ?? '')}`))
      .body as unknown as Page;
    t.deepEqual(namesOf(second), ['c']);
    t.is(second.metadata.continue, undefined);
    t.is(second.metadata.resourceVersion, first.metadata.resourceVersion);
  });

  test('a list of metadata leaves out everything else', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const { metadata } = await cluster.create(configMap(namespace, 'a', { x: '1' }));
    const fieldSelector = 'metadata.name=a';
    const query = { apiVersion: 'v1', kind: 'ConfigMap', namespace, fieldSelector, metadataOnly: true };
    t.deepEqual(await cluster.list(query), [{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
  });
}

interface Page {
  kind: string;
  metadata: { continue?: string; resourceVersion: string };
  items: { metadata: { name: string } }[];
}

function namesOf(page: Page): string[] {
  return page.items.map(({ metadata }) => metadata.name);
}

function describe(change: ObservedChange): string {
  const names =
    change.type === 'snapshot' ? change.objects.map(({ metadata }) => metadata.name) : [change.object.metadata.name];
  return `${change.type} ${names.join(' ')}`;
}
