import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test from 'ava';
import { WebSocket } from 'ws';
import { ClusterHealth } from '../../src/agent/cluster-health.ts';
import { anyone } from '../../src/control-plane/access/authenticate-user.ts';
import { EventStreams } from '../../src/control-plane/event-stream.ts';
import { testAgent } from '../agent/support/agent.ts';
import { eventually } from '../support/eventually.ts';
import { tokensOf } from './support/credentials.ts';
import { failingStore } from './support/failing-store.ts';
import { testPlane } from './support/plane.ts';
import { installed, rawAgent } from './support/raw-agent.ts';

const install = { type: 'install_release', payload: { releaseName: 'web', chartName: 'c' } };

async function call(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  call(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test('lists agents, sends commands and returns them by key', async (t) => {
  const { url, agentUrl, plane } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  const agents = await call(`${url}/api/agents`);
  t.like((agents.body['agents'] as unknown[])[0], { agentId: 'edge-1', version: '1.2.3' });
  const sent = await post(`${url}/api/agents/edge-1/commands`, { ...install, key: 'my key/1' });
  t.is(sent.status, 202);
  t.deepEqual(sent.body, { key: 'my key/1', agentId: 'edge-1', type: 'install_release', state: 'sent' });
  (await puppets.call(0)).succeed();
  await plane.command('my key/1')?.result;
  const found = await call(`${url}/api/commands/${encodeURIComponent('my key/1')}`);
  const { createdAt, ...rest } = found.body;
  t.regex(String(createdAt), /^\d{4}-\d\d-\d\dT/);
  const about = { sentBy: 'local', namespace: 'default', releaseName: 'web' };
  const ended = { state: 'done', outcome: 'succeeded', delivered: false, result: installed };
  t.deepEqual(rest, { ...sent.body, ...about, ...ended });
});

test('makes a key for a command without one', async (t) => {
  const { url, agentUrl } = await testPlane(t);
  await rawAgent(agentUrl);
  const { body } = await post(`${url}/api/agents/edge-1/commands`, install);
  t.regex(String(body['key']), /^[0-9a-f-]{36}$/);
});

test('streams events from the first one, or from the one after Last-Event-ID', async (t) => {
  const { url, agentUrl, plane } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  await post(`${url}/api/agents/edge-1/commands`, { ...install, key: 'k' });
  const live = await fetch(`${url}/api/commands/k/events`);
  t.is(live.headers.get('content-type'), 'text/event-stream');
  const running = await puppets.call(0);
  running.report('one\ntwo');
  running.succeed();
  const text = await live.text();
  const status = '{"seq":1,"step":"wait","state":"running","time":"2026-01-01T00:00:00.000Z","message":"one\\ntwo"}';
  const events = [
    'id: 1\nevent: accepted\ndata: {"durable":false}\n\n',
    `id: 2\nevent: status\ndata: ${status}\n\n`,
    'id: 3\nevent: result\ndata: ' + JSON.stringify(installed) + '\n\n',
  ];
  t.is(text, events.join(''));
  const resumed = await fetch(`${url}/api/commands/k/events`, { headers: { 'last-event-id': '1' } });
  t.is(await resumed.text(), events.slice(1).join(''));
  const finished = await fetch(`${url}/api/commands/k/events`, { headers: { 'last-event-id': '3' } });
  t.is(await finished.text(), '');
});

test('survives a reader that leaves its stream', async (t) => {
  const { url, agentUrl, plane } = await testPlane(t);
  const agent = await rawAgent(agentUrl);
  const command = plane.send('edge-1', { ...install, key: 'k' });
  const reader = new AbortController();
  await fetch(`${url}/api/commands/k/events`, { signal: reader.signal });
  reader.abort();
  agent.send('result', installed, 'k');
  t.true((await command.result).ok);
});

const refuses = test.macro({
  exec: async (t, method: string, path: string, body: string | undefined, status: number, code: string) => {
    const { url, agentUrl } = await testPlane(t);
    await rawAgent(agentUrl);
    const init = { method, headers: { 'content-type': 'application/json' }, ...(body !== undefined && { body }) };
    const answer = await call(`${url}${path}`, init);
    t.is(answer.status, status);
    t.is((answer.body['error'] as { code: string }).code, code);
  },
  title: (name) => `refuses ${name ?? ''}`,
});

const commands = '/api/agents/edge-1/commands';
const absentAgent = '/api/agents/edge-9/commands';
test('an unknown path', refuses, 'GET', '/api/nothing', undefined, 404, 'unknown_route');
test('an agent that was never connected', refuses, 'DELETE', '/api/agents/edge-9', undefined, 404, 'agent_not_found');
test('a wrong method', refuses, 'DELETE', '/api/agents', undefined, 405, 'method_not_allowed');
test('a body that is not JSON', refuses, 'POST', commands, '{', 400, 'bad_request');
test('a body without type', refuses, 'POST', commands, '{}', 400, 'bad_request');
test('a payload that is not an object', refuses, 'POST', commands, '{"type":"x","payload":"y"}', 400, 'bad_request');
test('a command that the agent does not know', refuses, 'POST', commands, '{"type":"fly"}', 400, 'unknown_command');
test(
  'an agent that is not connected',
  refuses,
  'POST',
  absentAgent,
  JSON.stringify(install),
  404,
  'agent_not_connected',
);
test('an unknown key', refuses, 'GET', '/api/commands/nope', undefined, 404, 'command_not_found');
test('a path that is badly encoded', refuses, 'GET', '/api/commands/%ff', undefined, 400, 'bad_request');
test('a body that is too large', refuses, 'POST', commands, ' '.repeat(9_000_000), 413, 'too_large');

test('refuses a body of another content type, because web pages can send those to any server', async (t) => {
  const { url } = await testPlane(t);
  const answer = await post(`${url}${commands}`, install, { 'content-type': 'text/plain' });
  t.is(answer.status, 400);
});

test('refuses requests from web pages of other servers if there is no token', async (t) => {
  const { url, port } = await testPlane(t);
  const statusFrom = async (origin: string) => (await call(`${url}/api/agents`, { headers: { origin } })).status;
  const strangers = ['https://evil.example', 'null', `https://127.0.0.1:${port}`, 'http://127.0.0.1:1', `${url}.evil`];
  for (const origin of strangers) t.is(await statusFrom(origin), 401, origin);
  t.is(await statusFrom(url), 200);
});

test('requires the API token, which no token of an agent replaces', async (t) => {
  const status = async (url: string, token?: string) =>
    (await call(`${url}/api/agents`, token ? { headers: { authorization: `Bearer ${token}` } } : {})).status;
  const authenticate = tokensOf({ 'edge-1': 'agents' });
  const { url } = await testPlane(t, { authenticate, apiToken: () => Promise.resolve('users') });
  const answers = [await status(url), await status(url, 'x'), await status(url, 'agents'), await status(url, 'users')];
  t.deepEqual(answers, [401, 401, 401, 200]);
  t.is((await fetch(`${url}/healthz`)).status, 200);
});

test('keeps the connection of a user for longer than most clients do, and ends one without a token', async (t) => {
  const { url } = await testPlane(t, { apiToken: () => Promise.resolve('users') });
  const headersFor = async (token: string) => {
    const response = await fetch(`${url}/api/agents`, { headers: { authorization: `Bearer ${token}` } });
    await response.text();
    return response.headers;
  };
  t.is((await headersFor('users')).get('keep-alive'), 'timeout=95, max=1000');
  t.is((await headersFor('x')).get('connection'), 'close');
});

test('is closed without an API token if other machines can reach the control plane', async (t) => {
  const { port } = await testPlane(t, { authenticate: tokensOf({}), host: '0.0.0.0' });
  const { status, body } = await call(`http://127.0.0.1:${port}/api/agents`);
  t.is(status, 401);
  t.regex(JSON.stringify(body), /no API token, so its API is closed/);
});

test('an empty token is an error at the start', async (t) => {
  for (const apiToken of ['', ' ', () => '', () => Promise.resolve('')]) {
    await t.throwsAsync(testPlane(t, { apiToken }), { code: 'token_unreadable', message: /is empty/ });
  }
  const unreadable = () => Promise.reject(new Error('no such file'));
  await t.throwsAsync(testPlane(t, { apiToken: unreadable }), { code: 'token_unreadable', message: /no such file/ });
});

test('a token that becomes empty opens nothing', async (t) => {
  let token = 'users';
  const { url } = await testPlane(t, { apiToken: () => token });
  token = '';
  for (const authorization of ['Bearer ', 'Bearer', 'Bearer users', '']) {
    t.is((await call(`${url}/api/agents`, { headers: { authorization } })).status, 401);
  }
});

test('no response, event or log line has a password of a command', async (t) => {
  const { url, agentUrl, lines } = await testPlane(t);
  const agent = await rawAgent(agentUrl);
  const payload = { ...install.payload, repoPassword: 'sentinel-password' };
  const received = [
    await post(`${url}${commands}`, { ...install, payload, key: 'k' }),
    await call(`${url}/api/commands/k`),
  ];
  agent.send('result', installed, 'k');
  const events = await (await fetch(`${url}/api/commands/k/events`)).text();
  t.false((JSON.stringify(received) + events + lines.join('')).includes('sentinel'));
});

/** Reads a stream to its end, and returns its text. */
async function textOf(response: Promise<Response>): Promise<string> {
  return (await response).text();
}

test('a GET acknowledges no results, and a POST does', async (t) => {
  const { url, agentUrl, plane, lines } = await testPlane(t);
  const agent = await rawAgent(agentUrl);
  const command = plane.send('edge-1', { ...install, key: 'k' });
  agent.send('result', installed, 'k');
  await command.result;
  const isDelivered = async () => (await call(`${url}/api/commands/k`)).body['delivered'];
  const reader = new AbortController();
  await fetch(`${url}/api/results`, { headers: { 'last-event-id': '999999' }, signal: reader.signal });
  reader.abort();
  t.is(await isDelivered(), false);
  t.deepEqual(await post(`${url}/api/results/ack`, { upTo: 1 }), { status: 200, body: { upTo: 1 } });
  t.is(await isDelivered(), true);
  t.true(lines.some((line) => line.includes('results acknowledged') && line.includes('"sentBy":"local"')));
  for (const upTo of [-1, 1.5, '1', null]) t.is((await post(`${url}/api/results/ack`, { upTo })).status, 400);
});

test('an event stream ends when its token was replaced', async (t) => {
  let token = 'old';
  const { url, agentUrl, plane } = await testPlane(t, { apiToken: () => Promise.resolve(token) });
  await rawAgent(agentUrl);
  plane.send('edge-1', { ...install, key: 'k' });
  const read = (path: string, authorization: string) => fetch(`${url}${path}`, { headers: { authorization } });
  const old = [textOf(read('/api/results', 'Bearer old')), textOf(read('/api/commands/k/events', 'Bearer old'))];
  token = 'new';
  const started = performance.now();
  await Promise.all(old);
  t.true(performance.now() - started < 5000);
  t.is((await read('/api/results', 'Bearer old')).status, 401);
});

test('an event stream stays while its token cannot be read', async (t) => {
  let isReadable = true;
  const apiToken = () => (isReadable ? Promise.resolve('users') : Promise.reject(new Error('gone')));
  const { url, agentUrl, plane } = await testPlane(t, { apiToken });
  const agent = await rawAgent(agentUrl);
  const command = plane.send('edge-1', { ...install, key: 'k' });
  const headers = { authorization: 'Bearer users' };
  const events = await fetch(`${url}/api/commands/k/events`, { headers });
  isReadable = false;
  await new Promise((resolve) => setTimeout(resolve, 700));
  agent.send('result', installed, 'k');
  await command.result;
  t.regex(await events.text(), /event: result/);
});

test('logs name the sender and the digest of a command, and none of its values', async (t) => {
  const apiToken = 'users';
  const { url, agentUrl, plane, lines } = await testPlane(t, { apiToken });
  const agent = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  const headers = { authorization: 'Bearer users' };
  const command = { ...install, payload: { ...install.payload, values: 'a: sentinel' }, key: 'k' };
  await post(`${url}${commands}`, command, headers);
  plane.send('edge-1', { ...install, key: 'other', sentBy: 'ci/alice@example.com' });
  (await agent.puppets.call(0)).succeed();
  await agent.puppets.call(1);
  const text = `install_release\n${JSON.stringify(command.payload)}`;
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  for (const log of [lines, agent.lines]) {
    t.true(log.some((line) => line.includes('"sentBy":"api-token"') && line.includes(digest)));
    t.true(log.some((line) => line.includes('"sentBy":"ci/alice@example.com"')));
    t.false(log.join('').includes('sentinel'));
  }
});

test('the name of a sender is short and has no control characters', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  await rawAgent(agentUrl);
  for (const sentBy of ['', 'a'.repeat(257), 'a\nb', '\u{202e}a', '\u001b[2J', 'a\u2028']) {
    t.throws(() => plane.send('edge-1', { ...install, sentBy }), { code: 'bad_request' });
  }
});

test('only an agent that knows the field gets the name of the sender', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const [old, current] = [
    await rawAgent(agentUrl),
    await rawAgent(agentUrl, { agentId: 'edge-2', packetFields: ['sentBy'] }),
  ];
  plane.send('edge-1', { ...install, sentBy: 'alice' });
  plane.send('edge-2', { ...install, sentBy: 'alice' });
  t.false('sentBy' in (await old.packet('install_release')));
  t.is((await current.packet('install_release')).sentBy, 'alice');
});

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('only an agent that knows the field gets the span of the sender', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const old = await rawAgent(agentUrl, { packetFields: ['sentBy'] });
  const current = await rawAgent(agentUrl, { agentId: 'edge-2', packetFields: ['traceparent'] });
  for (const agentId of ['edge-1', 'edge-2']) plane.send(agentId, { ...install, sentBy: 'alice', traceparent });
  t.false('traceparent' in (await old.packet('install_release')));
  t.like(await current.packet('install_release'), { traceparent, sentBy: undefined });
});

test('a repeated key with another trace is the same command', async (t) => {
  const { url, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl, { packetFields: ['traceparent'] });
  const send = (headers: Record<string, string>) =>
    post(`${url}/api/agents/edge-1/commands`, { ...install, key: 'k' }, headers);
  t.is((await send({ traceparent })).status, 202);
  t.is((await send({ traceparent: traceparent.replace('0af', '1af') })).status, 202);
  t.is((await agent.packet('install_release')).traceparent, traceparent);
  t.is(agent.packets.filter(({ type }) => type === 'install_release').length, 1);
});

test('a traceparent that is not valid is ignored in a request, and refused in a program', async (t) => {
  const { plane, url, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl, { packetFields: ['traceparent'] });
  for (const bad of [`${traceparent}, ${traceparent}`, traceparent.toUpperCase(), '0'.repeat(10_000), '']) {
    t.is((await post(`${url}/api/agents/edge-1/commands`, install, { traceparent: bad })).status, 202);
    t.throws(() => plane.send('edge-1', { ...install, traceparent: bad }), { code: 'bad_request' });
  }
  await eventually('the commands arrive', () => agent.packets.length >= 5);
  t.false(agent.packets.some((packet) => 'traceparent' in packet));
});

test('an agent that was registered and never connected is listed, and its commands wait', async (t) => {
  const authenticate = tokensOf({ 'edge-1': 'one', 'edge-2': 'two' });
  const registeredAgents = () => ['edge-1', 'edge-2'];
  const { url, agentUrl, plane } = await testPlane(t, { authenticate, registeredAgents });
  await rawAgent(agentUrl, {}, 'one');
  const { body } = await call(`${url}/api/agents`);
  t.like(body['agents'], {
    0: { agentId: 'edge-1', connected: true, version: '1' },
    1: { agentId: 'edge-2', connected: false, lastSeen: null },
  });
  const sent = await post(`${url}/api/agents/edge-2/commands`, { ...install, key: 'k' });
  t.like(sent, { status: 202, body: { state: 'waiting' } });
  t.is((await post(`${url}/api/agents/edge-3/commands`, install)).status, 404);
  const read = await post(`${url}/api/agents/edge-2/commands`, { type: 'list_releases' });
  t.is(read.status, 404);
  const late = await rawAgent(agentUrl, { agentId: 'edge-2' }, 'two');
  t.is((await late.packet('install_release')).key, 'k');
  late.socket.terminate();
  await eventually('the second agent is disconnected', () => plane.agents().length === 1);
  const [, away] = plane.knownAgents();
  t.like(away, { agentId: 'edge-2', connected: false, version: '1' });
  t.false(Number.isNaN(Date.parse(away?.lastSeen ?? '')));
});

test('the list of agents says whether their clusters answer', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  let failure: Error | undefined;
  const probe = () => (failure ? Promise.reject(failure) : Promise.resolve());
  const clusterHealth = new ClusterHealth({ probe, now: () => new Date(0), intervalMs: 10 });
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  await testAgent(t, { controlPlaneUrl: agentUrl, clusterHealth });
  void clusterHealth.watch(stopping.signal);
  const state = async (isWanted: boolean) => {
    for (;;) {
      const [agent] = plane.agents();
      if (agent?.cluster?.reachable === isWanted) return agent.cluster;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  t.deepEqual(await state(true), { reachable: true, since: '1970-01-01T00:00:00.000Z' });
  failure = new Error(`connect ECONNREFUSED\n\u{202e}${'x'.repeat(1000)}`);
  t.regex((await state(false)).reason ?? '', /^connect ECONNREFUSED {2}x{4}/);
  failure = undefined;
  await state(true);
});

test('a hello with characters that do not belong into a list is refused', async (t) => {
  const { plane, agentUrl, lines } = await testPlane(t);
  for (const wrong of [{ version: '\u001b[2J' }, { instanceId: 'a\u202eb' }, { capabilities: ['a\nb'] }]) {
    const socket = new WebSocket(agentUrl, ['helm-agent.v1']);
    await once(socket, 'open');
    const limits = { maxPacketBytes: 1 };
    const hello = { agentId: 'edge-1', instanceId: 'a', version: '1', capabilities: [], limits, ...wrong };
    socket.send(JSON.stringify({ type: 'hello', payload: JSON.stringify(hello) }));
    socket.ping();
    await once(socket, 'pong');
    socket.terminate();
  }
  t.deepEqual(plane.agents(), []);
  t.is(lines.filter((line) => line.includes('bad packet')).length, 3);
});

test('a reader of events that never reads is cut off, and does not hold up others', async (t) => {
  const streams = new EventStreams({ token: undefined, maxUnreadBytes: 1000, readTimeoutMs: 3000 });
  const payload = 'x'.repeat(8_000_000);
  async function* events() {
    for (let id = 1; id < 4; id++) yield await Promise.resolve({ id, type: 'status', payload });
  }
  const server = createServer((request, response) => void streams.send(request, response, anyone, events));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const deaf = connect(port, '127.0.0.1');
  deaf.on('error', () => undefined);
  deaf.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(deaf, 'readable'); // and nothing is read
  const text = await textOf(fetch(`http://127.0.0.1:${port}`));
  t.true(text.length > 24_000_000);
  deaf.destroy();
});

const closed = async (socket: Socket) => {
  await new Promise((resolve) => socket.once('close', resolve)); // also after an error
};

const readers: [string, { isQueued: boolean; stays: boolean }][] = [
  ['leaves before its stream begins', { isQueued: false, stays: false }],
  ['leaves while another response uses its connection', { isQueued: true, stays: false }],
  ['waits for another response of its connection', { isQueued: true, stays: true }],
];
for (const [title, { isQueued, stays }] of readers) {
  test(`a reader of events that ${title} does not hold up others`, async (t) => {
    const streams = new EventStreams({ token: undefined, maxUnreadBytes: 1000, readTimeoutMs: stays ? 3000 : 60_000 });
    const payload = 'x'.repeat(8_000_000);
    async function* events() {
      for (let id = 1; id < 3; id++) yield await Promise.resolve({ id, type: 'status', payload });
    }
    const left = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<undefined>();
    const server = createServer((request, response) => {
      const send = () => streams.send(request, response, anyone, events);
      if (request.url === '/stays') void send();
      else if (request.url === '/leaves') {
        begun.resolve(undefined);
        left.resolve(isQueued ? send() : closed(request.socket).then(send));
      } // else it uses the connection until that ends
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const reader = connect(port, '127.0.0.1');
    reader.on('error', () => undefined);
    const paths = [...(isQueued ? ['/first'] : []), '/leaves'];
    reader.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    await begun.promise;
    if (stays) t.teardown(() => reader.destroy());
    else reader.resetAndDestroy();
    await left.promise;
    t.true((await textOf(fetch(`http://127.0.0.1:${port}/stays`))).length > 16_000_000);
  });
}

test('/readyz fails while the store fails, also without further commands, and names credentials that cannot be read', async (t) => {
  const { store, fail } = failingStore();
  let isReadable = true;
  const { plane, url } = await testPlane(t, { store, areAgentsReadable: () => isReadable });
  const ready = async () => {
    const response = await fetch(`${url}/readyz`);
    return [response.status, await response.json()];
  };
  t.deepEqual(await ready(), [200, { store: 'ok', agentsFile: 'ok' }]);
  isReadable = false;
  t.deepEqual(await ready(), [200, { store: 'ok', agentsFile: 'not readable' }]);
  fail(true);
  const command = plane.install('edge-1', { releaseName: 'web', chartName: 'c' }, { deliverWithin: '1h' });
  await t.throwsAsync(command.stored, { code: 'store_unavailable' });
  t.deepEqual(await ready(), [503, { store: 'failing', agentsFile: 'not readable' }]);
  fail(false);
  await eventually('the control plane is ready', async () => (await ready())[0] === 200);
  t.notThrows(() => plane.install('edge-1', { releaseName: 'web', chartName: 'c' }, { deliverWithin: '1h' }));
});

test('the probes list their checks as those of Kubernetes do', async (t) => {
  const { url } = await testPlane(t, { areAgentsReadable: () => false });
  const text = async (path: string) => (await fetch(`${url}${path}`)).text();
  t.is(await text('/livez'), 'ok\n');
  t.is(
    await text('/readyz?verbose'),
    '[+]ping ok\n[+]store ok\n[+]agents-file ok: not readable\nreadyz check passed\n',
  );
  t.is(await text('/readyz/store'), 'ok\n');
  t.deepEqual(JSON.parse(await text('/healthz')), { status: 'ok' });
  t.is((await fetch(`${url}/metrics`)).status, 404, 'the port of agents and users has no metrics');
});

for (const [name, command] of [
  ['key', { key: 'k\ud800', payload: {} }],
  ['payload', { payload: '{"releaseName":"web\ud800"}' }],
] as const) {
  test(`a command whose ${name} has a lone surrogate is refused, because no store keeps it as it is`, async (t) => {
    const { url } = await testPlane(t);
    const response = await fetch(`${url}/api/agents/edge-1/commands`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ type: 'install_release', ...command }),
    });
    t.is(response.status, 400);
    const { error } = (await response.json()) as { error: object };
    t.like(error, { code: 'bad_request', message: `${name} must be Unicode text without lone surrogates` });
  });
}
