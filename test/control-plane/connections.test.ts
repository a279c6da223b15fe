import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
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
