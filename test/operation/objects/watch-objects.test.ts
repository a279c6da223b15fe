import type { ExecutionContext } from 'ava';
import type { Cluster } from '../../../src/objects/cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { Cancellation } from '../../../src/operation/cancellation.ts';
import { watchObjects } from '../../../src/operation/objects/watch-objects.ts';
import type { RequestOf } from '../../../src/operation/request.ts';
import type { ObjectChange } from '../../../src/protocol/object-change.ts';
import { eventually } from '../../support/eventually.ts';
import { newWorld, sandboxTest, type World } from '../world.ts';

const test = sandboxTest();
type Context = ExecutionContext<Parameters<typeof newWorld>[0]['context']>;

const object = (world: World, name: string, rest: object = {}, kind = 'ConfigMap'): KubeObject => ({
  ...{ apiVersion: 'v1', kind, metadata: { name, namespace: world.namespace, labels: { app: 'web' } } },
  ...rest,
});
const nameOf = ({ object: { metadata } }: ObjectChange) => (metadata as { name: string }).name;

async function worldWith(t: Context, ...names: string[]): Promise<World> {
  const world = newWorld(t);
  await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: world.namespace } });
  for (const name of names) await world.cluster.create(object(world, name));
  return world;
}

function watched(world: World, request: Partial<RequestOf<'watch_objects'>> = {}, cluster: Partial<Cluster> = {}) {
  const stop = new AbortController();
  const packets: ObjectChange[][] = [];
  const context = world.context({
    signal: stop.signal,
    cluster: { ...world.cluster, ...cluster },
    progress({ objects }) {
      if (objects) packets.push(objects);
    },
  });
  const ended = watchObjects(context, { kind: 'configmaps', namespace: world.namespace, ...request });
  const texts = () => packets.flat().map((change) => `${nameOf(change)} ${change.change}`);
  return {
    packets,
    texts,
    ended,
    seen: (text: string) => eventually(`${text} is reported`, () => texts().includes(text)),
    end: async () => {
      stop.abort(new Cancellation('enough', 'undo'));
      return await ended;
    },
  };
}

test('reports the objects of a kind, and each change, until it is cancelled', async (t) => {
  const world = await worldWith(t, 'a', 'b');
  const { packets, texts, seen, end } = watched(world, { selector: 'app=web' });
  await seen('b present');
  await world.cluster.create(object(world, 'c'));
  await seen('c added');
  const ref = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name });
  await world.cluster.mergePatch(ref('a'), { data: { x: '1' } });
  await seen('a changed');
  await world.cluster.delete(ref('b'));
  await seen('b deleted');
  t.deepEqual(await end(), { reported: texts().length });
  t.deepEqual(texts(), ['a present', 'b present', 'c added', 'a changed', 'b deleted']);
  t.like(packets.flat()[3], { status: 'Current', object: { data: { x: '1' } } });
  t.false('managedFields' in (packets.flat()[0]?.object['metadata'] as object));
});

test('follows only what selectors and the namespace select', async (t) => {
  const world = await worldWith(t, 'a');
  await world.cluster.create({ ...object(world, 'b'), metadata: { name: 'b', namespace: world.namespace } });
  const { texts, seen, end } = watched(world, { selector: 'app=web' });
  await seen('a present');
  await end();
  t.deepEqual(texts(), ['a present']);
  await t.throwsAsync(watched(world, { selector: 'a in (' }).ended, { code: 'bad_request' });
  await t.throwsAsync(watched(world, { kind: 'nope' }).ended, { code: 'unknown_kind' });
  await t.throwsAsync(watched(world, { namespace: '../x' }).ended, { code: 'invalid_namespace' });
});

test('shows no value of a Secret', async (t) => {
  const world = await worldWith(t);
  await world.cluster.create(
    object(world, 's', { data: { key: Buffer.from('sentinel').toString('base64') } }, 'Secret'),
  );
  const { packets, seen, end } = watched(world, { kind: 'secrets', selector: 'app=web' });
  await seen('s present');
  await end();
  t.like(packets.flat()[0], { object: { data: { key: '***' } } });
});

test('packets are bounded, and objects that are too large come without their fields', async (t) => {
  const world = await worldWith(t);
  const names = Array.from({ length: 9 }, (_, index) => `large-${index}`);
  for (const name of names) await world.cluster.create(object(world, name, { data: { x: 'x'.repeat(200_000) } }));
  await world.cluster.create(object(world, 'huge', { data: { x: 'x'.repeat(300_000) } }));
  const { packets, seen, end } = watched(world);
  for (const name of ['huge', ...names]) await seen(`${name} present`);
  await end();
  t.true(packets.every((packet) => JSON.stringify(packet).length < 1.2 * 1024 * 1024));
  t.like(
    packets.flat().find((change) => nameOf(change) === 'huge'),
    { omitted: true },
  );
});

test('too many objects are refused before they are read', async (t) => {
  const world = await worldWith(t);
  const listPage: Cluster['listPage'] = () => Promise.resolve({ objects: [], next: 'more' });
  await t.throwsAsync(watched(world, {}, { listPage }).ended, {
    code: 'bad_request',
    message: /more than 1000 objects/,
  });
});

test('what arrives while reports are late is read no further, and many changes of one object are one', async (t) => {
  const world = await worldWith(t);
  let read = 0;
  const observe: Cluster['observe'] = async function* (_, signal) {
    yield await Promise.resolve({ type: 'snapshot', objects: [] });
    for (let index = 0; index < 100_000 && !signal.aborted; index += 1) {
      read += 1;
      const metadata = { name: `a-${index % 3000}`, namespace: world.namespace, resourceVersion: String(index) };
      yield { type: 'changed', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } };
    }
  };
  const { packets, end } = watched(world, {}, { observe });
  await eventually('the first packet is reported', () => packets.length > 0);
  t.true(read < 10_000, String(read));
  await end();
});

test('the refusal of a watch is the error of the command', async (t) => {
  const world = await worldWith(t);
  const refusal = Object.assign(new Error('configmaps is forbidden'), { code: 'forbidden' });

  const observe: Cluster['observe'] = async function* () {
    throw await Promise.resolve(refusal);
  };
  await t.throwsAsync(watched(world, {}, { observe }).ended, { code: 'forbidden' });
});
