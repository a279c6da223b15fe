import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { ControlPlane, type ControlPlaneOptions, createMemoryStore } from '../../../src/control-plane/index.ts';
import type { LeaderPlace } from '../../../src/control-plane/replicas/leader-place.ts';
import type { CommandStore } from '../../../src/control-plane/store/command-store.ts';
import { makeCertificates } from '../../../src/sandbox/certificates.ts';
import { recordingLog } from '../../agent/support/log.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../support/postgres.ts';
import { installed, rawAgent } from '../support/raw-agent.ts';

/** A database that several control planes share: one after the other opens it. */
class SharedStore {
  readonly #store = createMemoryStore();
  readonly #waiting: Array<() => void> = [];
  #leader: LeaderPlace | undefined;
  /** Whether the next one has to wait for `release`. */
  #isHeld = false;

  hold(): void {
    this.#isHeld = true;
  }

  /** Lets the next one lead. */
  release(): void {
    this.#isHeld = false;
    this.#waiting.shift()?.();
  }

  /** Returns the store of a control plane that accepts relayed connections on the port. */
  of(port: number, secret = `${port} is the port of a replica in these tests`): CommandStore {
    const own = { host: '127.0.0.1', port, secret };
    let leads = false;
    return {
      ...this.#store,
      places: { own, leader: () => (leads ? undefined : this.#leader) },
      open: async (signal) => {
        if (this.#leader) {
          const { promise, resolve, reject } = Promise.withResolvers<undefined>();
          this.#waiting.push(() => resolve(undefined));
          signal?.addEventListener('abort', () => reject(new Error('it has stopped')));
          await promise;
        }
        this.#leader = own;
        leads = true;
        return this.#store.open();
      },
      close: () => {
        if (leads && !this.#isHeld) this.release();
        leads = false;
        return Promise.resolve();
      },
    };
  }
}

interface Member {
  plane: ControlPlane;
  port: number;
  relayPort: number;
  lines: ReturnType<typeof recordingLog>['lines'];
}

/** Starts a control plane, which need not lead. */
async function member(t: ExecutionContext, shared: SharedStore, options: ControlPlaneOptions = {}): Promise<Member> {
  const [port, relayPort] = [await freePort(), await freePort()];
  const { log, lines } = recordingLog();
  const plane = new ControlPlane({ log, version: '1.2.3', store: shared.of(relayPort), ...options });
  plane.listen(port).catch((error: unknown) => lines.push(String(error))); // it has stopped before it led
  t.teardown(() => plane.close());
  return { plane, port, relayPort, lines };
}

const isReady = ({ plane }: Member) => plane.health.ready().every(({ isOk }) => isOk);

/** Starts two, of which the first one leads. */
async function two(
  t: ExecutionContext,
  options: ControlPlaneOptions = {},
  shared = new SharedStore(),
): Promise<[Member, Member]> {
  const first = await member(t, shared, options);
  await eventually('the first one leads', () => isReady(first));
  const second = await member(t, shared, options);
  await eventually('the second one relays', () => isReady(second));
  return [first, second];
}

test('agents and users of a replica that does not lead reach the one that does', async (t) => {
  const [first, second] = await two(t);
  t.deepEqual(second.plane.health.ready(), [{ name: 'leader', isOk: true }]);
  const agent = await rawAgent(`ws://127.0.0.1:${second.port}`);
  await agent.packet('welcome');
  t.deepEqual(
    first.plane.agents().map(({ agentId }) => agentId),
    ['edge-1'],
  );
  const base = `http://127.0.0.1:${second.port}/api`;
  const body = JSON.stringify({ key: 'k', type: 'install_release', payload: { releaseName: 'web', chartName: 'c' } });
  const headers = { 'content-type': 'application/json' };
  const sent = await fetch(`${base}/agents/edge-1/commands`, { method: 'POST', headers, body });
  t.is(sent.status, 202);
  await agent.packet('install_release');
  const events = await fetch(`${base}/commands/k/events`);
  agent.send('result', installed, 'k');
  t.regex(await events.text(), /event: result/);
  agent.socket.terminate();
});

test('the control plane that leads knows where relayed connections come from', async (t) => {
  const [, second] = await two(t, { apiToken: 'users' });
  const from = async (localAddress: string) => {
    const sent = request({ port: second.port, host: '127.0.0.1', localAddress, path: '/api/agents', agent: false });
    const [response] = (await once(sent.end(), 'response')) as [{ statusCode: number; resume: () => void }];
    response.resume();
    return response.statusCode;
  };
  t.is(await from('127.0.0.7'), 401);
  const audit = await fetch(`http://127.0.0.1:${second.port}/api/audit`, {
    headers: { authorization: 'Bearer users' },
  });
  t.regex(await audit.text(), /"from":"127\.0\.0\.7"/);
});

test('connections that arrive between two leaders wait for the next one', async (t) => {
  const shared = new SharedStore();
  const [first, second] = await two(t, {}, shared);
  const base = `http://127.0.0.1:${second.port}/api/agents`;
  shared.hold();
  await first.plane.close();
  const asked = Array.from({ length: 20 }, () => fetch(base));
  await eventually('it notices', () => !isReady(second));
  shared.release();
  const responses = await Promise.all(asked);
  t.true(responses.every(({ status }) => status === 200));
  await eventually('the second one leads', () => isReady(second));
  t.deepEqual(second.plane.health.ready()[0], { name: 'store', isOk: true });
});

test('agents of a replica come back when the leader has ended', async (t) => {
  const [first, second] = await two(t);
  const agent = await rawAgent(`ws://127.0.0.1:${second.port}`);
  await agent.packet('welcome');
  const closed = once(agent.socket, 'close');
  await first.plane.close();
  await closed;
  const again = await rawAgent(`ws://127.0.0.1:${second.port}`);
  await again.packet('welcome');
  t.is(second.plane.agents().length, 1);
  again.socket.terminate();
});

test('a third replica follows the next leader', async (t) => {
  const shared = new SharedStore();
  const first = await member(t, shared);
  await eventually('the first one leads', () => isReady(first));
  const second = await member(t, shared);
  await eventually('the second one relays', () => isReady(second));
  const third = await member(t, shared);
  await eventually('the third one relays', () => isReady(third));
  const agent = await rawAgent(`ws://127.0.0.1:${third.port}`);
  await agent.packet('welcome');
  const closed = once(agent.socket, 'close');
  await first.plane.close();
  await closed;
  const again = await rawAgent(`ws://127.0.0.1:${third.port}`);
  await again.packet('welcome');
  t.is(second.plane.agents().length, 1);
  again.socket.terminate();
});

test('TLS is passed on to the leader, which knows the address', async (t) => {
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const certificates = makeCertificates(
    { now: () => BigInt(Date.now()) * 1_000_000n, randomBytes: random },
    '127.0.0.1',
  );
  const pair = { cert: certificates.certificate, key: certificates.key };
  const [, second] = await two(t, { apiToken: 'users', tls: { pair, follow: () => undefined } });
  const get = async (path: string, localAddress: string, headers: Record<string, string> = {}) => {
    const options = { port: second.port, host: '127.0.0.1', ca: certificates.ca, agent: false };
    const sent = secureRequest({ ...options, path, localAddress, headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return text(response);
  };
  t.regex(await get('/api/agents', '127.0.0.8'), /unauthenticated/);
  const audit = await get('/api/audit', '127.0.0.1', { authorization: 'Bearer users' });
  t.regex(audit, /"from":"127\.0\.0\.8"/);
});

test('a replica is not ready while it cannot reach the one that leads', async (t) => {
  const shared = new SharedStore();
  await shared.of(await freePort()).open(); // it leads, and does not listen
  const second = await member(t, shared);
  await eventually('it has tried', () => JSON.stringify(second.lines).includes('connections wait'));
  t.deepEqual(second.plane.health.ready(), [{ name: 'leader', isOk: false }]);
});

test('an impostor at the place of the leader gets nothing of a connection', async (t) => {
  const shared = new SharedStore();
  const port = await freePort();
  const received: string[] = [];
  const impostor = createServer((socket) => {
    socket.on('error', () => undefined).write(`${'0'.repeat(32)}\n`);
    socket.on('data', (bytes) => {
      received.push(bytes.toString());
      socket.write(`${'1'.repeat(64)}\n`);
    });
  }).listen(port, '127.0.0.1');
  t.teardown(() => impostor.close());
  await once(impostor, 'listening');
  await shared.of(port).open();
  const second = await member(t, shared);
  const asked = fetch(`http://127.0.0.1:${second.port}/api/agents`, {
    headers: { authorization: 'Bearer sentinel' },
  }).catch(() => undefined);
  await eventually('the impostor was asked', () => received.length >= 3);
  await second.plane.close();
  await asked;
  t.false(received.join('').includes('sentinel'));
});
