import test from 'ava';
import { SigningKey } from '../../src/journal/cluster/signing-key.ts';
import { ObjectsInMemory } from '../release/objects-in-memory.ts';

const namespace = 'agents';
const name = 'helm-agent.signing-key';

function setUp({ cluster = new ObjectsInMemory(), isRequired = true, fill = 1 } = {}) {
  const problems: object[] = [];
  const onProblem = (message: string, fields: object) => void problems.push({ message, ...fields });
  const random = (size: number) => Buffer.alloc(size, fill);
  return { cluster, problems, key: new SigningKey({ cluster, namespace, random, isRequired, onProblem }) };
}

const stored = (data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
  data,
});

test('the key is created once, and is the same for the next process', async (t) => {
  const first = setUp({ fill: 1 });
  t.is(first.key.bytes, undefined);
  await first.key.load();
  t.deepEqual(first.key.bytes, Buffer.alloc(32, 1));
  t.is(first.problems.length, 1);
  t.false(JSON.stringify(first.problems).includes(Buffer.alloc(32, 1).toString('base64')));
  const next = setUp({ cluster: first.cluster, fill: 2 });
  await next.key.load();
  t.deepEqual(Buffer.from(next.key.bytes ?? []), Buffer.alloc(32, 1));
  t.deepEqual(next.problems, []);
});

test('of two replicas that create the key at the same time, both have the one that was stored', async (t) => {
  const cluster = new ObjectsInMemory();
  const [a, b] = [setUp({ cluster, fill: 1 }), setUp({ cluster, fill: 2 })];
  await Promise.all([a.key.load(), b.key.load()]);
  t.not(a.key.bytes, undefined);
  t.deepEqual(Buffer.from(a.key.bytes ?? []), Buffer.from(b.key.bytes ?? []));
  t.is(a.problems.length + b.problems.length, 1);
});

test('a process keeps its key if the Secret is deleted', async (t) => {
  const { cluster, key } = setUp();
  await key.load();
  const before = key.bytes;
  await cluster.delete({ apiVersion: 'v1', kind: 'Secret', namespace, name });
  await key.load();
  t.is(key.bytes, before);
  t.is(cluster.objects.size, 0);
});

for (const [what, data] of Object.entries({
  'no key': {},
  'an empty key': { key: '' },
  'a short key': { key: Buffer.alloc(31).toString('base64') },
  'a long key': { key: Buffer.alloc(33).toString('base64') },
})) {
  test(`a Secret with ${what} is not used, and is left as it is`, async (t) => {
    const cluster = new ObjectsInMemory();
    await cluster.create(stored(data));
    const message = `the Secret ${namespace}/${name} has no key of 32 bytes; restore it, or delete it for a new key`;
    const required = setUp({ cluster });
    await t.throwsAsync(required.key.load(), { code: 'journal_unavailable', message });
    t.is(required.key.bytes, undefined);
    const optional = setUp({ cluster, isRequired: false });
    await optional.key.load();
    t.is(optional.key.bytes, undefined);
    t.like(optional.problems, [
      { message: 'the release records that the agent writes are not signed', reason: message },
    ]);
    t.like([...cluster.objects.values()], [{ data }]);
  });
}

test('an API server that does not respond is an error in any case, so that the start is repeated', async (t) => {
  const cluster = new ObjectsInMemory();
  const get = () => Promise.reject(Object.assign(new Error('no answer'), { code: 'unreachable' }));
  for (const isRequired of [true, false]) {
    const failing = { get, create: cluster.create.bind(cluster) };
    const options = { namespace, random: () => Buffer.alloc(32), isRequired, onProblem: () => undefined };
    await t.throwsAsync(new SigningKey({ ...options, cluster: failing }).load(), { code: 'unreachable' });
  }
  t.is(cluster.objects.size, 0);
});
