import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { ControlPlane, type SentCommand } from '../../src/control-plane/index.ts';
import { tokensOf } from './support/credentials.ts';
import { testPlane } from './support/plane.ts';
import { installed, rawAgent } from './support/raw-agent.ts';

const parameters = { releaseName: 'web', chartName: 'c' };

/** Compiles only if the result of each command has its own fields. */
export async function typedResults(plane: ControlPlane, install: SentCommand<'install_release'>): Promise<void> {
  const result = await install.result;
  if (result.ok) result.release.info.status satisfies string;
  else result.error.message satisfies string;
  const list = await plane.list('edge-1').result;
  if (list.ok) list.releases.length satisfies number;
  // @ts-expect-error a list has no release
  if (list.ok) list.release satisfies unknown;
}

test('values are YAML text or plain data, or a list of both', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl);
  plane.install('edge-1', { ...parameters, values: [{ replicas: 2, tags: ['a'] }, 'replicas: 3'] });
  const { payload = '' } = await agent.packet('install_release');
  t.deepEqual(JSON.parse(payload), { ...parameters, values: ['{"replicas":2,"tags":["a"]}', 'replicas: 3'] });
});

test('cancel and a signal cancel a command', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl, { capabilities: ['install_release', 'cancel_command'] });
  const abort = new AbortController();
  plane.install('edge-1', parameters, { key: 'a', signal: abort.signal });
  await agent.packet('install_release');
  abort.abort();
  const cancel = await agent.packet('cancel_command');
  t.is(cancel.payload, '{"key":"a"}');
  agent.send('result', { ok: true, cancelled: true }, cancel.key);
  t.throws(() => plane.install('edge-1', parameters, { signal: abort.signal }), { name: 'AbortError' });

  const waiting = plane.install('edge-2', parameters, { deliverWithin: '1h' });
  t.true(await waiting.cancel());
  t.like(await waiting.result, { ok: false, error: { code: 'cancelled' } });
  t.false(await waiting.cancel());
});

test('the signal of a command that is sent again under its key cancels it', async (t) => {
  const { plane } = await testPlane(t, { registeredAgents: () => ['edge-2'] });
  const abort = new AbortController();
  const send = (signal?: AbortSignal) => plane.install('edge-2', parameters, { key: 'again', signal });
  await send().stored;
  const again = send(abort.signal);
  abort.abort();
  t.like(await again.result, { ok: false, error: { code: 'cancelled' } });
  t.is(send(new AbortController().signal).state, 'done');
});

test('reports connections and results as events', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const seen: string[] = [];
  plane.on('connect', ({ agentId }) => seen.push(`connect ${agentId}`));
  plane.on('disconnect', ({ agentId }) => seen.push(`disconnect ${agentId}`));
  plane.on('result', ({ key }, { ok }) => seen.push(`result ${key} ${String(ok)}`));
  const agent = await rawAgent(agentUrl);
  const result = once(plane, 'result');
  plane.install('edge-1', parameters, { key: 'k' });
  agent.send('result', installed, 'k');
  await result;
  const gone = once(plane, 'disconnect');
  agent.socket.terminate();
  await gone;
  t.deepEqual(seen, ['connect edge-1', 'result k true', 'disconnect edge-1']);
});

test('accepts agents on a server of the application, at one path', async (t) => {
  const server = createServer((_request, response) => response.end('mine')).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const plane = new ControlPlane({ authenticate: tokensOf({ 'edge-1': 'one' }) });
  await plane.attach(server, { path: '/deploy' });
  const agent = await rawAgent(`ws://127.0.0.1:${port}/deploy`, {}, 'one');
  t.is(plane.agents().length, 1);
  t.is(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'mine');
  await t.throwsAsync(rawAgent(`ws://127.0.0.1:${port}/other`, {}, 'one'), { message: /404/ });
  const closed = once(agent.socket, 'close');
  await plane.close();
  t.is((await closed)[0], 1001);
  t.is(server.listenerCount('upgrade'), 0);
});

test('hands on the logs of an agent that has them, each packet once', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl, { packets: ['log', 'later'] });
  t.deepEqual(JSON.parse((await agent.packet('welcome')).payload ?? ''), {
    ...{ server: 'helm-agent control-plane', version: '1.2.3', packets: ['log'] },
  });
  const command = plane.install('edge-1', { ...parameters, logs: true }, { key: 'k' });
  const resource = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'load' };
  const about = { step: 'pre-hooks', time: '2026-01-01T00:00:00.000Z', resource, event: 'pre-install' };
  const log = (seq: number) => ({ seq, ...about, pod: 'load-1', container: 'main', lines: [`line ${seq}`] });
  agent.send('accepted', { durable: false }, 'k');
  for (const seq of [1, 2, 2, 1, 5]) agent.send('log', log(seq), 'k');
  agent.send('result', installed, 'k');
  const seen: unknown[] = [];
  for await (const event of command) if (event.type === 'log') seen.push(event.payload);
  t.deepEqual(seen, [log(1), log(2), log(5)]);
});
