import test from 'ava';
import { testAgent } from '../agent/support/agent.ts';
import { tokensOf } from './support/credentials.ts';
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
  t.deepEqual(await call(`${url}/api/commands/${encodeURIComponent('my key/1')}`), {
    status: 200,
    body: { ...sent.body, state: 'done', delivered: false, result: installed },
  });
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
test('a wrong method', refuses, 'DELETE', '/api/agents', undefined, 404, 'unknown_route');
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

test('refuses requests from web pages if there is no token', async (t) => {
  const { url } = await testPlane(t);
  t.is((await call(`${url}/api/agents`, { headers: { origin: 'https://evil.example' } })).status, 401);
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
