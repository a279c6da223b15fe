import test from 'ava';
import type { Cluster } from '../../../src/objects/cluster.ts';
import { clusterLookup } from '../../../src/operation/steps/lookup.ts';
import { decide } from '../../../src/policy/command-policy.ts';
import { type LookupScope, readPolicy } from '../../../src/policy/policy-rules.ts';

const clusterWide = new Set(['Namespace', 'Node']);

/** A cluster that has each object, and remembers which ones were read. */
function openCluster() {
  const requests: string[] = [];
  const cluster: Pick<Cluster, 'resourceKind' | 'get' | 'list'> = {
    resourceKind: (apiVersion, kind) =>
      Promise.resolve({ apiVersion, kind, resource: `${kind.toLowerCase()}s`, namespaced: !clusterWide.has(kind) }),
    get(ref) {
      requests.push(`get ${ref.kind} ${ref.namespace ?? ''}/${ref.name}`);
      return Promise.resolve({ ...ref, metadata: { name: ref.name } });
    },
    list(query) {
      requests.push(`list ${query.kind} ${query.namespace ?? ''}`);
      return Promise.resolve([]);
    },
  };
  return { cluster: cluster as Cluster, requests }; // the other methods are not called
}

type Place = readonly [kind: string, namespace: string, name: string];

const policyWith = (lookup: string) =>
  decide(
    readPolicy(`rules:\n  - { name: shop, lookup: ${lookup} }\ndefault: deny\n`),
    {
      ...{ type: 'install_release', right: 'deploy', namespace: 'shop', releaseName: 'web', sentBy: undefined },
      ...{ changes: true, chart: undefined, payload: {} },
    },
    'continued',
  );

const sees = test.macro(async (t, lookup: LookupScope, [kind, namespace, name]: Place, isSeen: boolean) => {
  const signal = new AbortController().signal;
  const own = openCluster();
  const read = clusterLookup({ cluster: own.cluster, lookup }, { namespace: 'shop' }, signal)(
    'v1',
    kind,
    namespace,
    name,
  );
  if (isSeen) await t.notThrowsAsync(Promise.resolve(read));
  else await t.throwsAsync(Promise.resolve(read), { code: 'forbidden', message: /--lookup all/ });
  t.is(own.requests.length, isSeen ? 1 : 0, 'an object that is not seen is not read');

  const policed = openCluster();
  const limits = { cluster: policed.cluster, policy: policyWith(lookup), lookup: isSeen ? 'none' : 'all' } as const;
  const byRule = clusterLookup(limits, { namespace: 'shop' }, signal)('v1', kind, namespace, name);
  if (isSeen) await t.notThrowsAsync(Promise.resolve(byRule), 'the rule of the policy wins');
  else
    await t.throwsAsync(Promise.resolve(byRule), {
      code: 'denied_by_policy',
      message: /rule shop .*lookup: (?:Secret|Namespace)/,
    });
  t.is(policed.requests.length, isSeen ? 1 : 0);
});

const own = ['Secret', 'shop', 'a'] as const;
const other = ['Secret', 'kube-system', 'a'] as const;
test('a chart sees an object of the namespace of its release', sees, 'release', own, true);
test('a chart sees the objects of the namespace of its release', sees, 'release', ['Secret', 'shop', ''], true);
test('a chart sees objects without a namespace', sees, 'release', ['Namespace', '', 'default'], true);
test('a chart sees objects without a namespace whatever namespace it names', sees, 'all', ['Node', 'x', ''], true);
test('a chart does not see an object of another namespace', sees, 'release', other, false);
test('a chart does not see the objects of another namespace', sees, 'release', ['Secret', 'kube-system', ''], false);
test('a chart does not see the objects of all namespaces', sees, 'release', ['Secret', '', ''], false);
test('a namespace is compared exactly', sees, 'release', ['Secret', 'shop ', 'a'], false);
test('a chart that may look up nothing does not see its own namespace', sees, 'none', own, false);
test('a chart that may look up nothing does not see a Namespace', sees, 'none', ['Namespace', '', 'default'], false);
test('a chart that may look up all sees all namespaces', sees, 'all', ['Secret', '', ''], true);
test('a chart that may look up all sees another namespace', sees, 'all', other, true);

test('a chart does not see a kind that it may not read, in its own namespace either', async (t) => {
  const { cluster, requests } = openCluster();
  const policy = policyWith('all, deniedReadKinds: [Secret]');
  const { signal } = new AbortController();
  const lookup = clusterLookup({ cluster, policy }, { namespace: 'shop' }, signal);
  const refusal = { code: 'denied_by_policy', message: /deniedReadKinds: Secret/ };
  await t.throwsAsync(Promise.resolve(lookup('v1', 'Secret', 'shop', 'a')), refusal);
  t.deepEqual(requests, []);
  await t.notThrowsAsync(Promise.resolve(lookup('v1', 'ConfigMap', 'shop', 'a')));
});
