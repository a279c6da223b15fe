import test, { type ExecutionContext } from 'ava';
import { createMemoryStore } from '../../src/control-plane/index.ts';
import type { CommandStore } from '../../src/control-plane/store/command-store.ts';
import { eventually } from '../support/eventually.ts';
import { testPlane } from './support/plane.ts';
import { installed, rawAgent } from './support/raw-agent.ts';

const madeAt = '2026-01-02T12:00:00.000Z';

/** Returns an empty store that says that it is a copy of `madeAt`. */
function copiedStore(): CommandStore {
  const store = createMemoryStore();
  const entry = { collection: 'backup', id: 'made', text: JSON.stringify({ at: madeAt }) };
  return {
    ...store,
    async open(signal) {
      const contents = await store.open(signal);
      return { ...contents, entries: [...(contents.entries ?? []), entry] };
    },
  };
}

const listed = (key: string, fields: object = {}) => ({
  ...{ key, type: 'install_release', fingerprint: '0'.repeat(64), acceptedAt: '2026-01-02T13:00:00Z' },
  ...fields,
});

async function restoredPlane(t: ExecutionContext, options: Parameters<typeof testPlane>[1] = {}) {
  const started = await testPlane(t, { store: copiedStore(), ...options });
  const agent = (as: Parameters<typeof rawAgent>[1] = {}) =>
    rawAgent(started.agentUrl, { packets: ['journaled'], ...as });
  return { ...started, agent };
}

test('a control plane from a backup asks an agent for later commands, and for their results', async (t) => {
  const { plane, url, agent, lines } = await restoredPlane(t);
  const { packet, send } = await agent();
  t.deepEqual(JSON.parse((await packet('journal')).payload ?? ''), { after: '2026-01-02T11:00:00.000Z' });
  send('journaled', { commands: [listed('a'), listed('b', { type: 'newer_command' })] });
  t.deepEqual(JSON.parse((await packet('unfinished')).payload ?? ''), { keys: ['a', 'b'] });
  t.like(plane.command('a'), { type: 'install_release', agentId: 'edge-1', state: 'accepted' });
  send('result', installed, 'a');
  send('result', { ok: false, error: { code: 'timeout', message: 'it is late' } }, 'b');
  t.true((await plane.command('a')?.result)?.ok);
  t.like(await plane.command('b')?.result, { ok: false, error: { code: 'timeout' } });
  const audit = await (await fetch(`${url}/api/audit`)).text();
  t.is(audit.match(/"action":"command found"/g)?.length, 2);
  t.true(lines.some((line) => line.includes('found commands that are later than the backup')));
});

test('an agent is asked until it has replied, and then not again', async (t) => {
  const { agent } = await restoredPlane(t);
  const first = await agent({ durable: true });
  await first.packet('journal');
  first.socket.terminate();
  const second = await agent({ instanceId: 'b', durable: true });
  await second.packet('journal');
  second.send('journaled', { commands: [listed('a')] });
  await second.packet('unfinished');
  second.socket.terminate();
  const third = await agent({ instanceId: 'c', durable: true });
  await third.packet('unfinished');
  t.deepEqual(
    third.packets.map(({ type }) => type),
    ['welcome', 'unfinished'],
  );
});

test('an agent that does not know the packet is not asked', async (t) => {
  const { plane, agent } = await restoredPlane(t);
  const { packets, packet } = await agent({ packets: ['log'] });
  plane.install('edge-1', { releaseName: 'web', chartName: 'c' });
  await packet('install_release');
  t.deepEqual(
    packets.map(({ type }) => type),
    ['welcome', 'install_release'],
  );
});

test('a control plane that was not restored asks no agent, and ignores what one lists', async (t) => {
  const { plane, agent, lines } = await restoredPlane(t, { store: createMemoryStore() });
  const { send, packets } = await agent();
  send('journaled', { commands: [listed('a')] });
  await eventually('it is logged', () => lines.some((line) => line.includes('for which the agent was not asked')));
  t.is(plane.command('a'), undefined);
  t.deepEqual(
    packets.map(({ type }) => type),
    ['welcome'],
  );
});

test('commands of before the backup, and keys that are known, stay as they are', async (t) => {
  const { plane, agent } = await restoredPlane(t);
  const waiting = plane.install('other', { releaseName: 'web', chartName: 'c' }, { key: 'taken', deliverWithin: '1h' });
  await waiting.stored;
  const { packet, send } = await agent();
  await packet('journal');
  const forgotten = listed('old', { acceptedAt: '2026-01-02T10:59:59Z' });
  send('journaled', { commands: [forgotten, listed('taken'), listed('new'), listed('new', { type: 'other' })] });
  t.deepEqual(JSON.parse((await packet('unfinished')).payload ?? ''), { keys: ['new'] });
  t.is(plane.command('old'), undefined);
  t.like(plane.command('taken'), { agentId: 'other', state: 'waiting' });
  t.is(plane.command('new')?.type, 'install_release');
  send('result', installed, 'taken');
  send('result', installed, 'new');
  await plane.command('new')?.result;
  t.is(waiting.state, 'waiting', 'the agent cannot end the command of another one');
});

test('an agent lists 2000 commands at most, however many packets it sends', async (t) => {
  const { url, agent } = await restoredPlane(t);
  const { packet, packets, send } = await agent();
  await packet('journal');
  for (let page = 0; page < 5; page++) {
    send('journaled', { commands: Array.from({ length: 1000 }, (_, index) => listed(`k${page}-${index}`)) });
  }
  send('health', { cluster: { reachable: true, since: madeAt } });
  await eventually('all packets were read', async () => {
    const agents = (await (await fetch(`${url}/api/agents`)).json()) as { agents: { cluster?: object }[] };
    return agents.agents[0]?.cluster !== undefined;
  });
  const keys = packets.flatMap(({ type, payload = '' }) =>
    type === 'unfinished' ? (JSON.parse(payload) as { keys: string[] }).keys : [],
  );
  t.is(keys.length, 2000);
});

test('an agent with too many open commands adds none', async (t) => {
  const { plane, agent, lines } = await restoredPlane(t, { limits: { agentCommands: 1 } });
  const { packet, send } = await agent();
  await packet('journal');
  send('journaled', { commands: [listed('a'), listed('b')] });
  t.deepEqual(JSON.parse((await packet('unfinished')).payload ?? ''), { keys: ['a'] });
  t.is(plane.command('b'), undefined);
  t.true(lines.some((line) => line.includes('left out commands that an agent knows')));
});

const isBad = test.macro({
  title: (_, what: string) => `a list of commands with ${what} is a bad packet, and adds nothing`,
  async exec(t, _what: string, commands: unknown) {
    const { plane, agent, lines } = await restoredPlane(t);
    const { packet, packets, send } = await agent();
    await packet('journal');
    send('journaled', { commands });
    await eventually('it is logged', () => lines.some((line) => line.includes('an agent sent a bad packet')));
    t.is(plane.command('a'), undefined);
    t.false(packets.some(({ type }) => type === 'unfinished'));
  },
});

test(isBad, 'a key of another kind', [listed('a'), listed('b', { key: 1 })]);
test(isBad, 'a key that is too long', [listed('a'), listed('b'.repeat(10_000))]);
test(isBad, 'an empty key', [listed('a'), listed('')]);
test(isBad, 'a type with a line feed', [listed('a'), listed('b', { type: 'install\nrelease' })]);
test(isBad, 'a fingerprint that is none', [listed('a'), listed('b', { fingerprint: 'x' })]);
test(isBad, 'a time that is none', [listed('a'), listed('b', { acceptedAt: 'yesterday' })]);
test(
  isBad,
  'too many commands',
  Array.from({ length: 1001 }, () => listed('a')),
);
test(isBad, 'no list', { a: listed('a') });

test('a time in the future counts as now', async (t) => {
  const { url, agent } = await restoredPlane(t);
  const { packet, send } = await agent();
  await packet('journal');
  send('journaled', { commands: [listed('a', { acceptedAt: '9999-01-01T00:00:00Z' })] });
  await packet('unfinished');
  const { commands } = (await (await fetch(`${url}/api/commands`)).json()) as { commands: { createdAt: string }[] };
  t.true(Date.parse(commands[0]?.createdAt ?? '') <= Date.now());
});
