import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { type AgentIdentity, ControlPlane, type Principal } from '../../src/control-plane/index.ts';
import { closing } from '../support/closing.ts';
import { tokensOf } from './support/credentials.ts';
import { testPlane } from './support/plane.ts';
import { rawAgent } from './support/raw-agent.ts';

async function opened(t: ExecutionContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

test('connections without a token keep out neither agents nor users, and end none of theirs', async (t) => {
  const { port, url, agentUrl } = await testPlane(t, {
    maxConnections: 8,
    authenticate: tokensOf({ 'edge-1': 'one', 'edge-2': 'two' }),
    apiToken: 'users',
  });
  const agent = await rawAgent(agentUrl, {}, 'one');
  const sockets: Socket[] = [];
  for (let count = 0; count < 30; count++) sockets.push(await opened(t, port));
  const first = sockets[0];
  if (first && !first.closed) await closing(first);
  const second = await rawAgent(agentUrl, { agentId: 'edge-2' }, 'two');
  t.is((await fetch(`${url}/api/agents`, { headers: { authorization: 'Bearer users' } })).status, 200);
  t.deepEqual(
    [agent, second].map(({ socket }) => socket.readyState),
    [1, 1],
  );
});

test('a request with a wrong token gets 401 before its body arrives, and its connection ends', async (t) => {
  const { port } = await testPlane(t, { apiToken: 'users' });
  const targets = ['PUT /api/charts/sha256:00', 'POST /api/agents/edge-1/commands'];
  for (const target of targets) {
    const socket = await opened(t, port);
    socket.write(`${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nContent-Length: 90000000\r\n\r\n`);
    const closed = closing(socket);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    t.true(answer.toString().startsWith('HTTP/1.1 401 '));
    const dribble = setInterval(() => socket.write('a'), 5);
    await closed.finally(() => clearInterval(dribble));
  }
});

/** Opens a WebSocket, and resolves to the text of the error with which that fails. */
function refusalOf(url: string, protocol: string): Promise<string> {
  const socket = new WebSocket(url, [protocol]);
  return new Promise((resolve, reject) => {
    socket.once('error', ({ message }) => resolve(message));
    socket.once('open', () => reject(new Error('it was accepted')));
  });
}

/** Attaches a control plane to a server, and returns the port of that. */
async function attached(t: ExecutionContext, plane: ControlPlane): Promise<number> {
  const server = createServer();
  await plane.attach(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port; // a TCP server that listens has one
}

const closesBeforeDecision = test.macro({
  title: (name) => `a control plane that closes refuses ${name ?? ''} whose credential is not decided about`,
  async exec(t, way: 'listen' | 'attach', path: string, protocol: string) {
    const asked = Promise.withResolvers<undefined>();
    const decision = Promise.withResolvers<AgentIdentity & Principal>();
    const decide = () => {
      asked.resolve(undefined);
      return decision.promise;
    };
    const plane = new ControlPlane({ authenticate: decide, authenticateUser: decide });
    const port = way === 'listen' ? await plane.listen(0) : await attached(t, plane);
    const refusal = refusalOf(`ws://127.0.0.1:${port}${path}`, protocol);
    await asked.promise;
    await plane.close();
    decision.resolve({ agentId: 'edge-1', name: 'kim', roles: [{ rights: ['admin'] }] });
    t.regex(await refusal, /\b503\b/);
    t.deepEqual(plane.agents(), []);
  },
});
for (const way of ['listen', 'attach'] as const) {
  test(`an agent on a server of \`${way}\``, closesBeforeDecision, way, '/agents', 'helm-agent.v1');
  test(`a caller on a server of \`${way}\``, closesBeforeDecision, way, '/api/commands/k/stream', 'helm-agent.stream');
}
