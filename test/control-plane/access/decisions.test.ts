import test, { type ExecutionContext } from 'ava';
import type { Principal, Role } from '../../../src/control-plane/index.ts';
import { commandTypes } from '../../../src/protocol/commands/index.ts';
import { apiRoutes } from '../../../tools/openapi.ts';
import { testPlane } from '../support/plane.ts';
import { installed, rawAgent } from '../support/raw-agent.ts';

const install = { type: 'install_release', payload: { releaseName: 'web', chartName: 'c', namespace: 'shop' } };

/** Starts a control plane with two agents, and returns requests of users with some roles. */
async function world(t: ExecutionContext, options: Parameters<typeof testPlane>[1] = {}) {
  const made = await testPlane(t, { apiToken: 'root', insecure: true, ...options });
  const { plane, url, agentUrl } = made;
  const agent = await rawAgent(agentUrl, { capabilities: [...commandTypes], packetFields: ['sentBy'] });
  await rawAgent(agentUrl, { agentId: 'core-1', capabilities: [...commandTypes] });
  const ask = async (token: string, method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, {
      ...{ method, headers, signal: AbortSignal.timeout(10_000) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
  };
  const user = async (roles: Role[], name = 'ci') => {
    const { token, id } = await plane.tokens.create({ name, roles });
    return {
      ...{ id, token },
      ask: (method: string, path: string, body?: unknown) => ask(token, method, path, body),
      send: (agentId: string, command: object) => ask(token, 'POST', `/api/agents/${agentId}/commands`, command),
    };
  };
  return { ...made, agent, user, root: ask.bind(undefined, 'root') };
}

const onEdge = (changes: Partial<Role>): Role => ({
  rights: ['read', 'deploy', 'act'],
  agents: ['edge-*'],
  ...changes,
});

const sends = test.macro({
  title: (name, _roles, _command, status: number) => `REST and SDK: ${name ?? ''} gives ${status}`,
  async exec(
    t,
    roles: Role[],
    { agentId = 'edge-1', ...command }: { agentId?: string; type: string; payload: object },
    status: number,
  ) {
    const { user, plane } = await world(t);
    const { send, token } = await user(roles);
    const answer = await send(agentId, command);
    t.is(answer.status, status, JSON.stringify(answer.body));
    const principal = plane.tokens.find(token);
    const byApplication = () => plane.send(agentId, { ...command, payload: { ...command.payload }, principal });
    if (status === 202) t.is(byApplication().agentId, agentId);
    else t.is(t.throws(byApplication).message, (answer.body['error'] as Error).message);
  },
});

const get = (kind: string, more: object = {}) => ({
  type: 'get_object',
  payload: { kind, name: 'a', namespace: 'shop', ...more },
});
const inShop = [onEdge({ namespaces: ['shop'] })];
test('a command in the namespace of a role', sends, inShop, install, 202);
test(
  'a command in another namespace',
  sends,
  inShop,
  { ...install, payload: { ...install.payload, namespace: 'pay' } },
  403,
);
test(
  'a command in the default namespace',
  sends,
  inShop,
  { ...install, payload: { releaseName: 'web', chartName: 'c' } },
  403,
);
test('an empty namespace', sends, inShop, { ...install, payload: { ...install.payload, namespace: '' } }, 403);
test('a list of all namespaces', sends, inShop, { type: 'list_releases', payload: {} }, 403);
test('a list of the namespace', sends, inShop, { type: 'list_releases', payload: { namespace: 'shop' } }, 202);
test('facts about the cluster', sends, inShop, { type: 'cluster_info', payload: { namespace: 'shop' } }, 403);
test(
  'facts about the cluster for a role without a limit',
  sends,
  [onEdge({})],
  { type: 'cluster_info', payload: {} },
  202,
);
test('an object with a namespace', sends, inShop, get('Deployment'), 202);
test('an object with a namespace and its group', sends, inShop, get('deploy.apps', { apiVersion: 'apps/v1' }), 202);
test('an object of the cluster', sends, inShop, get('Node'), 403);
test('a kind that the control plane does not know', sends, inShop, get('widgets.example.com'), 403);
test('a kind of the same name', sends, inShop, get('pods.example.com'), 403);
test('a kind of another group', sends, inShop, get('Pod', { apiVersion: 'example.com/v1' }), 403);
test(
  'a plan of the namespace',
  sends,
  inShop,
  { type: 'apply_plan', payload: { plan: `shop/web@${'a'.repeat(12)}` } },
  202,
);
test(
  'a plan of another namespace',
  sends,
  inShop,
  { type: 'apply_plan', payload: { plan: `pay/web@${'a'.repeat(12)}` } },
  403,
);
test(
  'a plan whose id is malformed',
  sends,
  inShop,
  { type: 'apply_plan', payload: { plan: 'shop/web', namespace: 'shop' } },
  403,
);
test(
  'a payload that does not fit',
  sends,
  inShop,
  { ...install, payload: { ...install.payload, releaseName: 7 } },
  403,
);
test(
  'a namespace that is not a text',
  sends,
  inShop,
  { ...install, payload: { ...install.payload, namespace: ['shop'] } },
  403,
);
test('a release outside of a role', sends, [onEdge({ releases: ['db'] })], install, 403);
test('a release of a role', sends, [onEdge({ releases: ['w*'] })], install, 202);
test('a command that the table does not have', sends, inShop, { type: 'fly', payload: { namespace: 'shop' } }, 403);
test('a right that the role lacks', sends, [onEdge({ rights: ['read'] })], install, 403);
test('a single command', sends, [onEdge({ rights: ['install_release'] })], install, 202);
test('another command than the single one', sends, [onEdge({ rights: ['restart_workload'] })], install, 403);
test('an agent outside of a role', sends, inShop, { ...install, agentId: 'core-1' }, 404);
test('an agent that is not known', sends, inShop, { ...install, agentId: 'core-9' }, 404);
test('a selector that the agent does not match', sends, [{ rights: ['admin'], labels: 'site=a' }], install, 404);
test(
  'a selector that everything without labels would match',
  sends,
  [{ rights: ['admin'], labels: '!site' }],
  install,
  404,
);
test('to cancel a command that is not known', sends, inShop, { type: 'cancel_command', payload: { key: 'k' } }, 404);
test(
  'to cancel, as the role has no limit',
  sends,
  [onEdge({})],
  { type: 'cancel_command', payload: { key: 'k' } },
  202,
);

test('agents and commands that a user may not see do not exist for them', async (t) => {
  const { user, plane } = await world(t);
  const { ask, send } = await user(inShop);
  const hidden = [
    plane.send('edge-1', { type: 'install_release', payload: { ...install.payload, namespace: 'pay' }, key: 'other' }),
    plane.send('core-1', { ...install, key: 'away' }),
  ];
  await Promise.all(hidden.map(({ stored }) => stored));
  const same = async (method: string, path: (id: string) => string, known: string, unknown: string, body?: unknown) => {
    const [first, second] = [await ask(method, path(known), body), await ask(method, path(unknown), body)];
    t.is(first.status, 404, `${method} ${path(known)}`);
    t.deepEqual(
      JSON.parse(JSON.stringify(first).replaceAll(known, 'X')),
      JSON.parse(JSON.stringify(second).replaceAll(unknown, 'X')),
    );
  };
  await same('GET', (id) => `/api/agents/${id}`, 'core-1', 'core-9');
  await same('DELETE', (id) => `/api/agents/${id}`, 'core-1', 'core-9');
  await same('POST', (id) => `/api/agents/${id}/accept`, 'core-1', 'core-9');
  await same('POST', (id) => `/api/agents/${id}/enrolment`, 'core-1', 'core-9', {});
  await same('DELETE', (id) => `/api/agents/${id}/enrolment`, 'core-1', 'core-9');
  await same('POST', (id) => `/api/agents/${id}/commands`, 'core-1', 'core-9', install);
  await same('POST', (id) => `/api/agents/${id}/commands`, 'core-1', 'core-9', { ...install, deliverWithin: '1h' });
  for (const key of ['other', 'away']) {
    await same('GET', (id) => `/api/commands/${id}`, key, 'none');
    await same('GET', (id) => `/api/commands/${id}/events`, key, 'none');
    const cancel = async (id: string) => send('edge-1', { type: 'cancel_command', payload: { key: id } });
    t.deepEqual(
      JSON.stringify(await cancel(key)).replaceAll(key, 'X'),
      JSON.stringify(await cancel('none')).replaceAll('none', 'X'),
    );
  }
  const { body } = await ask('GET', '/api/agents');
  t.deepEqual(
    (body['agents'] as { agentId: string }[]).map(({ agentId }) => agentId),
    ['edge-1'],
  );
});

test('a user who may manage some agents invites those, and no others', async (t) => {
  const { user, plane, root } = await world(t);
  const { ask } = await user([{ rights: ['admin'], labels: 'site=a' }]);
  const invite = (id: string, labels: object) => ask('POST', `/api/agents/${id}/enrolment`, { labels });
  t.is((await invite('new-1', { site: 'a' })).status, 201);
  t.is((await invite('new-2', { site: 'b' })).status, 404);
  t.is((await invite('new-2', {})).status, 404);
  t.is((await root('POST', '/api/agents/new-3/enrolment', { labels: { site: 'b' } })).status, 201);
  t.is((await invite('new-3', { site: 'a' })).status, 404, 'it has other labels');
  t.is((await invite('new-1', { site: 'b' })).status, 404, 'it would have other labels');
  t.is((await ask('DELETE', '/api/agents/new-3/enrolment')).status, 404);
  t.is((await ask('DELETE', '/api/agents/new-1/enrolment')).status, 200);
  t.deepEqual(plane.tokens.list().length, 1);
  t.is((await ask('GET', '/api/tokens')).status, 403);
});

test('an id of an agent, or of one for which a command is kept, is not invited by those who may not manage it', async (t) => {
  const { user, plane, root } = await world(t, { registeredAgents: () => ['listed-1'] });
  const { ask } = await user([{ rights: ['admin'], labels: 'site=a' }]);
  const body = { ...install, key: 'away', deliverWithin: '1h' };
  t.is((await root('POST', '/api/agents/away-1/commands', body)).status, 202);
  for (const id of ['edge-1', 'core-1', 'listed-1', 'away-1']) {
    t.is((await ask('POST', `/api/agents/${id}/enrolment`, { labels: { site: 'a' } })).status, 404, id);
    t.is((await ask('GET', `/api/agents/${id}`)).status, 404, id);
  }
  t.is((await ask('GET', '/api/commands/away')).status, 404);
  t.is((await root('POST', '/api/agents/listed-1/enrolment', { labels: { site: 'a' } })).status, 201);
  await plane.revokeAgent('listed-1');
  t.is((await ask('POST', '/api/agents/listed-1/enrolment', { labels: { site: 'a' } })).status, 404, 'revoked');
});

test('a user sees the commands that they may send, and with the right read those that deploy', async (t) => {
  const { user, plane, agent } = await world(t);
  const keys = { web: 'web', pay: 'pay' };
  plane.send('edge-1', { ...install, key: keys.web });
  plane.send('edge-1', { ...install, payload: { ...install.payload, namespace: 'pay' }, key: keys.pay });
  for (const key of Object.values(keys)) agent.send('result', installed, key);
  for (const key of Object.values(keys)) await plane.command(key)?.result;
  const statuses = async (roles: Role[]) => {
    const { ask } = await user(roles);
    return [(await ask('GET', '/api/commands/web')).status, (await ask('GET', '/api/commands/pay/events')).status];
  };
  t.deepEqual(await statuses([{ rights: ['read'], namespaces: ['shop'] }]), [200, 404]);
  t.deepEqual(await statuses([{ rights: ['install_release'], namespaces: ['shop'] }]), [200, 404]);
  t.deepEqual(await statuses([{ rights: ['act'] }]), [404, 404]);
});

test('who may cancel a command, and only they, see the cancellation', async (t) => {
  const { user, plane, agent, root } = await world(t);
  const { ask, send } = await user([{ rights: ['read', 'deploy'], namespaces: ['shop'], releases: ['web'] }]);
  const strangers = [await user([onEdge({ namespaces: ['pay'] })]), await user([onEdge({ releases: ['db'] })])];
  await plane.send('edge-1', { ...install, key: 'web' }).stored;
  await agent.packet('install_release');
  const cancel = { type: 'cancel_command', payload: { key: 'web' }, key: 'end' };
  t.is((await send('edge-1', cancel)).status, 202);
  t.is((await send('edge-1', cancel)).status, 202, 'it is sent again under its key');
  t.like((await ask('GET', '/api/commands/end')).body, { key: 'end' });
  for (const stranger of strangers) {
    t.is((await stranger.ask('GET', '/api/commands/end')).status, 404);
    t.is((await stranger.send('edge-1', { ...cancel, key: 'late' })).status, 404);
  }
  t.like((await root('GET', '/api/commands?namespace=shop&release=web&type=cancel_command')).body, {
    commands: [{ key: 'end' }],
  });
});

test('users who may only send one command see their own cancellations, and no others', async (t) => {
  const { user, plane, agent } = await world(t);
  const sender = await user([{ rights: ['install_release'] }], 'sender');
  const other = await user([{ rights: ['install_release'] }], 'other');
  await plane.send('edge-1', { ...install, key: 'web' }).stored;
  await agent.packet('install_release');
  const cancel = { type: 'cancel_command', payload: { key: 'web' }, key: 'end' };
  t.is((await sender.send('edge-1', cancel)).status, 202);
  t.like((await sender.ask('GET', '/api/commands/end')).body, { key: 'end' });
  t.is((await other.ask('GET', '/api/commands/end')).status, 404);
});

test('a stream of results has those that its reader may see, and ends when the token is revoked', async (t) => {
  const { user, plane, agent, url } = await world(t);
  const { token, id } = await user([{ rights: ['read'], namespaces: ['shop'] }]);
  const results = await fetch(`${url}/api/results`, { headers: { authorization: `Bearer ${token}` } });
  plane.send('edge-1', { ...install, payload: { ...install.payload, namespace: 'pay' }, key: 'hidden' });
  const shown = plane.send('edge-1', { ...install, key: 'shown' });
  agent.send('result', installed, 'hidden');
  agent.send('result', installed, 'shown');
  await shown.result;
  const reader = (results.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('\n\n')) text += (await reader.read()).value ?? '';
  await plane.tokens.revoke(id);
  for (let end = false; !end;) {
    const { done, value = '' } = await reader.read();
    text += value;
    end = done;
  }
  t.regex(text, /"key":"shown"/);
  t.notRegex(text, /hidden/);
});

test('the packet of a command names the user who has sent it', async (t) => {
  const { user, agent } = await world(t);
  const { send } = await user(inShop, 'deploy@ci');
  t.is((await send('edge-1', { ...install, sentBy: 'root' })).status, 202);
  t.is((await agent.packet('install_release')).sentBy, 'deploy@ci');
});

test('an application authenticates users in its own way, and narrows what their roles allow', async (t) => {
  const { url, plane } = await world(t, {
    authenticateUser: ({ headers }) =>
      typeof headers['x-user'] === 'string' ? { name: headers['x-user'], roles: [{ rights: ['admin'] }] } : undefined,
    authorize: ({ name }, { agent }) => name !== 'kim' || agent?.agentId === 'edge-1',
  });
  const names = async (user: string) => {
    const response = await fetch(`${url}/api/agents`, { headers: { 'x-user': user } });
    return ((await response.json()) as { agents: { agentId: string }[] }).agents.map(({ agentId }) => agentId);
  };
  t.deepEqual(await names('kim'), ['edge-1']);
  t.deepEqual(await names('root'), ['core-1', 'edge-1']);
  t.is((await fetch(`${url}/api/tokens`, { headers: { 'x-user': 'kim' } })).status, 403);
  const kim = { name: 'kim', roles: [{ rights: ['admin'] }] };
  t.throws(() => plane.send('core-1', { ...install, principal: kim }), { code: 'agent_not_connected' });
  t.is((await fetch(`${url}/api/agents`)).status, 401);
});

test('without an API token, `authenticateUser` refuses requests without a user also on this machine', async (t) => {
  for (const nobody of [undefined, null, false]) {
    const { url } = await testPlane(t, { authenticateUser: () => nobody as undefined }); // as JavaScript may
    t.is((await fetch(`${url}/api/whoami`)).status, 401, String(nobody));
  }
});

test('`authenticateUser` fails for what is not a user', async (t) => {
  const { url } = await testPlane(t, {
    authenticateUser: ({ headers }) => JSON.parse(String(headers['x-user'])) as Principal,
  });
  const status = async (user: unknown) =>
    (await fetch(`${url}/api/whoami`, { headers: { 'x-user': JSON.stringify(user) } })).status;
  for (const user of [true, 'kim', {}, { name: 'kim' }, { roles: [] }]) {
    t.is(await status(user), 500, JSON.stringify(user));
  }
  t.is(await status({ name: 'kim', roles: [] }), 200);
});

const decides = test.macro({
  title: (name) => `\`authorize\` that ${name ?? ''}`,
  async exec(t, authorize: () => unknown, status: number) {
    const { url, plane } = await world(t, {
      authenticateUser: () => ({ name: 'kim', roles: [{ rights: ['admin'] }] }),
      authorize: authorize as () => boolean, // JavaScript may return anything
    });
    t.is((await fetch(`${url}/api/tokens`)).status, status);
    const principal = { name: 'kim', roles: [{ rights: ['admin'] }] };
    const sent = () => plane.send('edge-1', { ...install, principal });
    const asPromise = { instanceOf: TypeError, message: /^the option authorize returned a promise/ };
    if (status === 200) t.is(sent().agentId, 'edge-1');
    else t.throws(sent, status === 500 ? asPromise : { code: 'agent_not_connected' });
  },
});
test('returns true allows it', decides, () => true, 200);
test('returns false refuses it', decides, () => false, 403);
test('returns nothing refuses it', decides, () => undefined, 403);
test('returns null refuses it', decides, () => null, 403);
test('returns another value than true refuses it', decides, () => 'no', 403);
test('returns a promise is an error', decides, async () => Promise.resolve(true), 500);
test('returns a promise that rejects is an error', decides, async () => Promise.reject(new Error('later')), 500);

test('a token that ends while its request arrives allows nothing more', async (t) => {
  const { user, plane } = await world(t);
  const { token, id } = await user([{ rights: ['admin'] }]);
  const principal = plane.tokens.find(token);
  t.is(plane.send('edge-1', { ...install, principal }).agentId, 'edge-1');
  await plane.tokens.revoke(id);
  t.throws(() => plane.send('edge-1', { ...install, principal }), { code: 'agent_not_connected' });
});

test('a token that is wrong is refused, also where a local user needs none', async (t) => {
  const { url } = await testPlane(t);
  const status = async (authorization: string) =>
    (await fetch(`${url}/api/agents`, { headers: { authorization } })).status;
  t.is(await status(`Bearer hau_${'a'.repeat(43)}`), 401);
  t.is(await status('Bearer of-something-else'), 200);
});

test('each command that the table has is refused to users without a role for it', async (t) => {
  const { user } = await world(t);
  const stranger = await user([{ rights: ['admin'], agents: ['none'] }]);
  const limited = await user([{ rights: ['admin'], agents: ['edge-1'], namespaces: ['none'] }]);
  for (const type of commandTypes) {
    const isCancel = type === 'cancel_command';
    const payload = isCancel ? { key: 'k' } : { namespace: 'shop' };
    t.is((await stranger.send('edge-1', { type, payload })).status, 404, type);
    t.is((await limited.send('edge-1', { type, payload })).status, isCancel ? 404 : 403, type);
  }
});

/** The routes that users may call without a role for anything, and what they get then. */
const openRoutes: Readonly<Record<string, number>> = {
  'GET /api/agents': 200, // an empty list
  'GET /api/agent-events': 200, // a stream without agents
  'GET /api/commands': 200,
  'GET /api/command-events': 200, // a stream with an empty page
  'GET /api/recordings': 200, // an empty list
  'GET /api/rollouts': 200, // an empty list
  'GET /api/rollout-events': 200, // a stream without rollouts
  'GET /api/whoami': 200,
  'GET /api/me': 200,
  'GET /api/results': 200, // an empty stream
  'GET /api/openapi.json': 200,
};

test('each route of the API refuses users without a role for it, and those without a token', async (t) => {
  const { user, url, plane } = await world(t);
  plane.send('edge-1', install);
  const { token } = await user([{ rights: ['act'], agents: ['none'] }]);
  const routes = apiRoutes();
  t.true(routes.length > 15);
  for (const { method, path: template } of routes) {
    const path = template.replace(/\{\w+\}/, 'core-1');
    if (!path.startsWith('/api/')) continue;
    const status = async (headers: Record<string, string>) => {
      const body = ['POST', 'PUT'].includes(method) ? JSON.stringify(install) : undefined;
      const init = {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        signal: AbortSignal.timeout(9000),
      };
      const response = await fetch(`${url}${path}`, { ...init, ...(body !== undefined && { body }) });
      const list = /^\/api\/(agents|commands|rollouts)$/.exec(path)?.[1];
      if (response.ok && list !== undefined) t.deepEqual(await response.json(), { [list]: [] });
      else await response.body?.cancel();
      return response.status;
    };
    const name = `${method} ${path}`;
    const refused = await status({ authorization: `Bearer ${token}` });
    if (openRoutes[name] === undefined) t.true([403, 404].includes(refused), `${name} gives ${refused}`);
    else t.is(refused, openRoutes[name], name);
    t.is(await status({}), 401, name);
  }
});
