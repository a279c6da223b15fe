import { createServer } from 'node:http';
import test from 'ava';
import {
  type CommandStore,
  ControlPlane,
  createMemoryStore,
  createSqliteStore,
} from '../../src/control-plane/index.ts';
import { temporaryFile } from './support/file.ts';
import { batch, record } from './support/stored.ts';

const closed = { code: 'store_unavailable', message: 'the control plane is closed' };

for (const [name, storeAt] of Object.entries({ memory: () => createMemoryStore(), SQLite: createSqliteStore })) {
  test(`a control plane that is closed while it starts does not listen (${name})`, async (t) => {
    const plane = new ControlPlane({ store: storeAt(await temporaryFile(t)) });
    const rejection = t.throwsAsync(plane.listen(0), closed);
    await plane.close();
    await rejection;
    await t.throwsAsync(plane.listen(0), closed);
  });

  test(`a control plane that is closed while it is attached leaves the server alone (${name})`, async (t) => {
    const server = createServer();
    const plane = new ControlPlane({ store: storeAt(await temporaryFile(t)) });
    const rejection = t.throwsAsync(plane.attach(server), closed);
    await plane.close();
    await rejection;
    t.is(server.listenerCount('upgrade'), 0);
  });
}

test('a control plane that is closed while it binds its port does not stay', async (t) => {
  const plane = new ControlPlane();
  await plane.attach(createServer());
  const listening = plane.listen(0);
  await Promise.resolve();
  await plane.close();
  const [outcome] = await Promise.allSettled([listening]);
  if (outcome.status === 'fulfilled') await t.throwsAsync(fetch(`http://127.0.0.1:${outcome.value}/livez`));
  else t.like(outcome.reason, closed);
});

test('a control plane whose store could not be opened or read can start again', async (t) => {
  const store = createMemoryStore();
  await store.write(batch({ commands: [record('k', { state: 'accepted', instanceId: 'i', isDurable: true })] }));
  const failures = ['open', 'read'];
  const failAt = (step: string) => {
    if (failures[0] === step) throw new Error(`cannot ${failures.shift()}`);
  };
  const failing: CommandStore = {
    ...store,
    async open() {
      failAt('open');
      return await store.open();
    },
    async events(key) {
      failAt('read');
      return await store.events(key);
    },
  };
  const plane = new ControlPlane({ store: failing });
  t.teardown(() => plane.close());
  await t.throwsAsync(plane.listen(0), { message: 'cannot open' });
  await t.throwsAsync(plane.createEnrolment({ agentId: 'edge-1' }), { message: 'cannot open' });
  await t.throwsAsync(plane.listen(0), { message: 'cannot read' });
  await plane.listen(0);
  t.is(await plane.forgetAgent('edge-1'), 1);
});

test('reading many open commands ends when the control plane is closed', async (t) => {
  const store = createMemoryStore();
  // so large that their events are read one after the other
  await store.write(batch({ commands: ['a', 'b'].map((key) => record(key, { bytes: 8 * 1024 * 1024 })) }));
  const read: string[] = [];
  const reading = Promise.withResolvers<undefined>();
  const closing = Promise.withResolvers<[]>();
  const events: CommandStore['events'] = async (key) => {
    read.push(key);
    reading.resolve(undefined);
    return await closing.promise;
  };
  const plane = new ControlPlane({ store: { ...store, events } });
  const rejection = t.throwsAsync(plane.listen(0), closed);
  await reading.promise;
  const close = plane.close();
  closing.resolve([]);
  await close;
  await rejection;
  t.deepEqual(read, ['a']);
});
