import test from 'ava';
import type { ObjectQuery } from '../../../src/objects/cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import type { ResourceStatus } from '../../../src/operation/progress.ts';
import { createTracker } from '../../../src/operation/tracker/tracker.ts';
import { waitUntilGone } from '../../../src/operation/wait/deletion.ts';
import { steppingHost } from '../../support/host.ts';
import { type Script, watchedCluster } from '../watched-cluster.ts';

const namespace = 'shop';

function object(apiVersion: string, kind: string, name: string): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace, uid: name } };
}

const gadget = object('e.io/v1', 'Gadget', 'g');
const config = object('v1', 'ConfigMap', 'c');

/** Waits for a Gadget, and for a ConfigMap that is deleted long after it. */
async function wait(gadgets: (query: ObjectQuery) => Script): Promise<string[][]> {
  const statuses: string[][] = [];
  const cluster = watchedCluster((query) => {
    if (query.kind === 'Gadget') return gadgets(query);
    const held: Script = Array.from({ length: 20 }, () => ({ type: 'changed', object: config }));
    return [{ type: 'snapshot', objects: [config] }, ...held, { type: 'deleted', object: config }];
  });
  const tools = {
    signal: new AbortController().signal,
    done: () => undefined,
    skipped: () => undefined,
    report: ({ resources = [] }: { resources?: ResourceStatus[] }) => {
      statuses.push(resources.map(({ name, status }) => `${name} ${status}`));
    },
  };
  const objects = [gadget, config].map(({ apiVersion, kind, metadata: { name, uid } }) => {
    return { ref: { apiVersion, kind, namespace, name }, uid };
  });
  const context = { tracker: createTracker(cluster), host: steppingHost() };
  await waitUntilGone(objects, { context, tools, labelled: true });
  return statuses;
}

function refusal(code: string): Error {
  return Object.assign(new Error('404 page not found'), { code });
}

for (const code of ['not_found', 'unknown_kind']) {
  test(`the wait continues if the API server ends the watch of a kind with ${code}, as without its CRD`, async (t) => {
    const statuses = await wait(({ fieldSelector }) =>
      fieldSelector === undefined
        ? [{ type: 'snapshot', objects: [gadget] }, { type: 'deleted', object: gadget }, refusal(code)]
        : [refusal(code)],
    );
    t.deepEqual(statuses, [['g Terminating', 'c Terminating'], ['g NotFound'], ['c NotFound']]);
  });
}

test('fails if the API server refuses to watch a kind that it has', async (t) => {
  await t.throwsAsync(
    wait(() => [refusal('forbidden')]),
    { code: 'forbidden' },
  );
});
