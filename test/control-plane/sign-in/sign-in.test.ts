import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { WebSocket } from 'ws';
import { createSqliteStore } from '../../../src/control-plane/index.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFile } from '../support/file.ts';
import { rawAgent } from '../support/raw-agent.ts';
import { browser } from './support/browser.ts';
import type { Lies } from './support/fake-provider.ts';
import { groups, signInWorld } from './support/signed-in.ts';

const install = { type: 'install_release', payload: { releaseName: 'web', chartName: 'c', namespace: 'shop' } };
const ownGroups = { claims: { groups: ['shop'] } };

test('a person signs in with a browser, has the roles of their groups, and signs out', async (t) => {
  const { person, url, audit, agentUrl, lines } = await signInWorld(t);
  const agent = await rawAgent(agentUrl, { capabilities: ['install_release'], packetFields: ['sentBy'] });
  const { ask, cookie } = await person();
  t.regex(cookie(), /^has_[\w-]{43}$/);
  const me = (await (await ask('GET', '/api/me')).json()) as Record<string, unknown>;
  t.like(me, { name: 'kim@example.com', isAdministrator: true, roles: [{ rights: ['admin'] }] });
  t.like(me['session'], { name: 'kim@example.com', kind: 'browser' });
  t.is((await ask('POST', '/api/agents/edge-1/commands', {}, install)).status, 202);
  t.is((await agent.packet('install_release')).sentBy, 'kim@example.com');
  const secret = cookie();
  t.is((await ask('POST', '/api/sign-out')).status, 200);
  t.is(cookie(), '');
  const again = await fetch(`${url}/api/me`, { headers: { cookie: `helm-agent-session=${secret}` } });
  t.is(again.status, 401);
  const entries = await audit();
  for (const action of ['sign in', 'sign out']) {
    const entry = entries.find((each) => each['action'] === action);
    t.like(entry, { user: 'kim@example.com', decision: 'allowed', outcome: 'ok' });
    t.regex(String(entry?.['sessionId']), /^[0-9a-f]{12}$/);
  }
  t.false(`${lines.join('')}${JSON.stringify(entries)}`.includes(secret.slice(4)));
});

test('a session survives a restart, and only the hash of its secret is stored', async (t) => {
  const path = await temporaryFile(t);
  const { person, plane, file } = await signInWorld(t, {}, { store: createSqliteStore(path) });
  const { cookie } = await person();
  await plane.close();
  const second = await signInWorld(t, { issuer: file.settings().issuer }, { store: createSqliteStore(path) });
  const status = async (secret: string) =>
    (await fetch(`${second.url}/api/me`, { headers: { cookie: `helm-agent-session=${secret}` } })).status;
  t.is(await status(cookie()), 200);
  const stored = await readFile(path, 'latin1');
  t.false(stored.includes(cookie().slice(4)));
});

const refuses = test.macro({
  title: (name) => `the callback is refused: ${name ?? ''}`,
  async exec(t, lies: Lies, status: number, message: RegExp) {
    const { signInWith, provider, url, audit, lines } = await signInWorld(t);
    provider.state.lies = lies;
    const client = browser();
    const response = await signInWith(client);
    const page = await response.text();
    t.is(response.status, status, page);
    t.regex(page, message);
    t.regex(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    t.deepEqual([...client.jarOf(url).keys()], [], 'no cookie is left');
    const entry = (await audit()).find((each) => each['action'] === 'sign in');
    t.like(entry, { decision: 'refused' });
    t.notRegex(`${page}${lines.join('')}`, /sentinel/);
  },
});
const notValid = /the response of the provider is not valid/;
test('a token without a signature', refuses, { header: { alg: 'none' }, isUnsigned: true }, 401, notValid);
test('a token with an empty signature', refuses, { isUnsigned: true }, 401, notValid);
test('a signature of another key', refuses, { isForged: true }, 401, notValid);
test('a symmetric algorithm', refuses, { header: { alg: 'HS256' } }, 401, notValid);
test('a token for another client', refuses, { claims: { aud: 'other' } }, 401, notValid);
test(
  'a token for several clients, given to another one',
  refuses,
  { claims: { aud: ['hub', 'b'], azp: 'b' } },
  401,
  notValid,
);
test('a token of another provider', refuses, { claims: { iss: 'https://evil.example' } }, 401, notValid);
test('a token of another sign-in', refuses, { claims: { nonce: 'other' } }, 401, notValid);
test('a token without a nonce', refuses, { claims: { nonce: undefined } }, 401, notValid);
test('a token that has expired', refuses, { claims: { exp: 1_000_000 } }, 401, notValid);
test('a token of the future', refuses, { claims: { nbf: 9_000_000_000 } }, 401, notValid);
test('no ID token', refuses, { body: '{"access_token":"a","token_type":"Bearer"}' }, 401, notValid);
test('text that is not JSON', refuses, { body: 'sentinel' }, 401, notValid);
test('an error of the provider', refuses, { status: 500, body: '{"error":"sentinel"}' }, 401, notValid);
test('a response that is too large', refuses, { body: `"${'a'.repeat(1_100_000)}"` }, 503, /provider cannot be used/);
test('an email address that is not verified', refuses, { claims: { email_verified: false } }, 401, /not verified/);
test('no name', refuses, { claims: { email: undefined } }, 401, /sends no name in the claim email/);
test('a name that looks like another one', refuses, { claims: { email: 'kіm@example.com' } }, 401, /sends no name/);
test('the name of the API token', refuses, { claims: { email: 'api-token' } }, 401, /sends no name/);
test('no group with a role', refuses, { claims: { groups: ['x'] } }, 403, /is in no group that has a role here/);
test('no groups', refuses, { claims: { groups: undefined } }, 403, /is in no group/);
test('groups of another form', refuses, { claims: { groups: { platform: true } } }, 403, /is in no group/);
test('a nested group', refuses, { claims: { groups: [['platform']] } }, 403, /is in no group/);

test('a callback counts only in the browser that has begun to sign in, and once', async (t) => {
  const { begin, provider, url } = await signInWorld(t);
  const [victim, attacker] = [browser(), browser()];
  const callback = await begin(attacker);
  const elsewhere = await victim.open(callback);
  t.is(elsewhere.status, 400, 'no one can sign another one in');
  t.regex(await elsewhere.text(), /was begun in another browser/);
  const own = await begin(victim);
  const code = new URL(callback).searchParams.get('code') ?? '';
  const mixed = new URL(own);
  mixed.searchParams.set('code', code);
  t.is((await victim.open(mixed.href)).status, 401, 'the code of another one has another nonce');
  for (const state of ['forged', '']) {
    const forged = new URL(await begin(victim));
    forged.searchParams.set('state', state);
    t.is((await victim.open(forged.href)).status, 401);
  }
  const used = await begin(victim);
  const jar = new Map(victim.jarOf(url));
  t.is((await victim.open(used)).status, 303);
  t.is((await victim.open(used)).status, 400, 'its cookie is gone');
  jar.forEach((value, name) => victim.jarOf(url).set(name, value));
  t.is((await victim.open(used)).status, 401, 'its code is used');
  t.true(provider.state.requests.length > 0);
});

test('a person who cancels at the provider gets a page that says so', async (t) => {
  const { begin, url } = await signInWorld(t);
  const client = browser();
  const callback = new URL(await begin(client));
  callback.searchParams.delete('code');
  callback.searchParams.set('error', 'access_denied');
  callback.searchParams.set('error_description', '<script>sentinel</script>');
  const response = await client.open(callback.href);
  t.is(response.status, 401);
  const page = await response.text();
  t.regex(page, /was refused or cancelled/);
  t.notRegex(page, /sentinel|script/);
  t.is(client.jarOf(url).size, 0);
});

test('a new sign-in ends the session of the browser from before, so none is fixed', async (t) => {
  const { person, url, signInWith } = await signInWorld(t);
  const { client, cookie } = await person();
  const first = cookie();
  await signInWith(client);
  t.not(cookie(), first);
  const status = async (secret: string) =>
    (await fetch(`${url}/api/me`, { headers: { cookie: `helm-agent-session=${secret}` } })).status;
  t.deepEqual([await status(first), await status(cookie())], [401, 200]);
  client.jarOf(url).set('helm-agent-session', `has_${'a'.repeat(43)}`);
  await signInWith(client);
  t.not(cookie(), `has_${'a'.repeat(43)}`, 'a secret that a browser brings is not used');
});

const returns = test.macro({
  title: (_name, returnTo: string) => `after a sign-in, returnTo=${returnTo.slice(0, 30)} stays at the control plane`,
  async exec(t, returnTo: string, expected: string) {
    const { signInWith, url } = await signInWorld(t);
    const response = await signInWith(browser(), `?returnTo=${encodeURIComponent(returnTo)}`);
    t.is(response.headers.get('location'), `${url}${expected}`);
  },
});
test(returns, '/agents/edge-1?tab=logs#end', '/agents/edge-1?tab=logs#end');
test(returns, 'https://evil.example/', '/');
test(returns, '//evil.example/', '/');
test(returns, '/\\evil.example/', '/');
test(returns, '/\t/evil.example/', '/');
test(returns, '/.//evil.example/', '/');
test(returns, 'javascript:alert(1)', '/');
test(returns, '/sign-in', '/');
test(returns, '/a\r\nset-cookie: b=c', '/aset-cookie:%20b=c');
test(returns, `/${'a'.repeat(5000)}`, '/');

test('a cookie that was changed does not lead elsewhere after the sign-in', async (t) => {
  const { begin, url } = await signInWorld(t);
  const client = browser();
  const callback = await begin(client);
  const jar = client.jarOf(url);
  const attempt = JSON.parse(Buffer.from(jar.get('helm-agent-sign-in') ?? '', 'base64url').toString('utf8')) as Record<
    string,
    unknown
  >;
  for (const returnTo of ['https://evil.example/', `${url}.evil.example/`, `${url}@evil.example/`]) {
    const changed = Buffer.from(JSON.stringify({ ...attempt, returnTo })).toString('base64url');
    jar.set('helm-agent-sign-in', changed);
    const response = await client.open(returnTo === 'https://evil.example/' ? callback : await begin(client));
    t.is(response.headers.get('location'), `${url}/`);
  }
});

test('pages of other servers change nothing with the cookie of a person, and read nothing', async (t) => {
  const { person, url, agentUrl } = await signInWorld(t);
  await rawAgent(agentUrl);
  const { client } = await person();
  const post = async (headers: Record<string, string>) => {
    const response = await client.open(`${url}/api/agents/edge-1/commands`, {
      ...{ method: 'POST', body: JSON.stringify(install) },
      headers: { 'content-type': 'application/json', ...headers },
    });
    return response.status;
  };
  const own = { origin: url, 'x-helm-agent-request': '1' };
  t.is(await post(own), 202);
  t.is(await post({ ...own, 'sec-fetch-site': 'same-origin' }), 202);
  t.is(await post({ origin: url }), 403, 'without the header');
  t.is(await post({ 'x-helm-agent-request': '1' }), 403, 'without an origin');
  t.is(await post({ ...own, origin: 'https://evil.example' }), 403);
  t.is(await post({ ...own, origin: 'null' }), 403);
  t.is(await post({ ...own, origin: `${url}.evil.example` }), 403);
  for (const site of ['cross-site', 'same-site', 'none'])
    t.is(await post({ ...own, 'sec-fetch-site': site }), 403, site);
  const get = async (headers: Record<string, string>) => (await client.open(`${url}/api/me`, { headers })).status;
  t.is(await get({}), 200);
  t.is(await get({ 'sec-fetch-site': 'none' }), 200);
  t.is(await get({ 'sec-fetch-site': 'cross-site' }), 403);
  t.is(await get({ origin: 'https://evil.example' }), 403);
  const preflight = await client.open(`${url}/api/agents/edge-1/commands`, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  t.false(preflight.ok);
  t.deepEqual(
    [...preflight.headers.keys()].filter((name) => name.startsWith('access-control')),
    [],
  );
});

test('a bearer token counts alone, beside any cookie', async (t) => {
  const { person, url, plane } = await signInWorld(t);
  const { client, cookie } = await person();
  const name = async (authorization: string) => {
    const response = await client.open(`${url}/api/me`, { headers: { authorization } });
    return response.ok ? ((await response.json()) as { name: string }).name : response.status;
  };
  const { token } = await plane.tokens.create({ name: 'ci', roles: [{ rights: ['read'] }] });
  t.is(await name(`Bearer ${token}`), 'ci');
  t.is(await name('Bearer root'), 'api-token');
  t.is(await name('Bearer wrong'), 401, 'the cookie does not help');
  t.is(await name('Basic a2ltOmE='), 401);
  t.is(await name(`Bearer ${cookie()}`), 401, 'the secret of a cookie is no token');
  const fromElsewhere = await fetch(`${url}/api/me`, {
    headers: { authorization: `Bearer ${token}`, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  });
  t.is(fromElsewhere.status, 200, 'no browser sends a token by itself');
});

test('no cookie, many, and large ones are refused', async (t) => {
  const { person, url } = await signInWorld(t);
  const { cookie } = await person();
  const status = async (header: string) => (await fetch(`${url}/api/me`, { headers: { cookie: header } })).status;
  const own = `helm-agent-session=${cookie()}`;
  t.is(await status(`a=b; ${own}; c=d`), 200);
  t.is(await status(`${own}; helm-agent-session=x`), 401, 'which one is meant is not known');
  t.is(await status(`helm-agent-session=${'a'.repeat(15_000)}`), 401);
  t.is(await status('helm-agent-session='), 401);
  t.is(await status(';'.repeat(10_000)), 401);
  t.is(await status('a=b;'.repeat(3000)), 401);
  t.is(await status(`xhelm-agent-session=${cookie()}`), 401);
  t.is(await status('a'.repeat(20_000)), 431);
  const callback = await fetch(`${url}/sign-in/callback?code=a&state=b`, {
    headers: { cookie: `helm-agent-sign-in=${Buffer.from('[1]').toString('base64url')}` },
  });
  t.is(callback.status, 400);
});

test('without a session or a token, also this machine is refused when people sign in', async (t) => {
  const { url } = await signInWorld(t, {}, { apiToken: undefined });
  const response = await fetch(`${url}/api/agents`);
  t.is(response.status, 401);
  t.regex(await response.text(), /sign in, or send an API token/);
});

test('a session that is revoked ends its streams within a second, and its cookie is refused', async (t) => {
  const { person, url, audit } = await signInWorld(t);
  const { ask, client } = await person();
  const results = await client.open(`${url}/api/results`);
  const { sessions } = (await (await ask('GET', '/api/sessions')).json()) as { sessions: { id: string }[] };
  const [id = ''] = sessions.map((each) => each.id);
  const revoked = await fetch(`${url}/api/sessions/${id}`, {
    ...{ method: 'DELETE', headers: { authorization: 'Bearer root' } },
  });
  t.is(revoked.status, 200);
  await results.text(); // the stream ends
  t.is((await ask('GET', '/api/me')).status, 401);
  t.like(
    (await audit()).find((entry) => entry['action'] === `DELETE /api/sessions/${id}`),
    { sessionId: id, user: 'api-token', outcome: 'ok' },
  );
});

test('people see and end their own sessions, and those of others only as administrators', async (t) => {
  const { person, provider } = await signInWorld(t);
  const admin = await person();
  provider.state.lies = { claims: { ...ownGroups.claims, email: 'lee@example.com' } };
  const lee = await person();
  const list = async ({ ask }: typeof lee) =>
    ((await (await ask('GET', '/api/sessions')).json()) as { sessions: { id: string; name: string }[] }).sessions;
  t.deepEqual(
    (await list(lee)).map(({ name }) => name),
    ['lee@example.com'],
  );
  const all = await list(admin);
  t.deepEqual(
    all.map(({ name }) => name),
    ['kim@example.com', 'lee@example.com'],
  );
  const [kim = '', own = ''] = all.map(({ id }) => id);
  const other = await lee.ask('DELETE', `/api/sessions/${kim}`);
  const unknown = await lee.ask('DELETE', '/api/sessions/0123456789ab');
  t.deepEqual([other.status, await other.text()], [404, await unknown.text()]);
  t.is((await lee.ask('DELETE', `/api/sessions/${own}`)).status, 200);
  t.is((await lee.ask('GET', '/api/me')).status, 401);
});

test('a change of the file changes the roles of those who are signed in, and ends their streams', async (t) => {
  const { person, provider, file, url, audit } = await signInWorld(t);
  provider.state.lies = ownGroups;
  const { ask, client } = await person();
  const rights = async () => {
    const response = await ask('GET', '/api/me');
    return response.ok
      ? ((await response.json()) as { roles: { rights: string[] }[] }).roles[0]?.rights
      : response.status;
  };
  t.deepEqual(await rights(), ['read', 'deploy']);
  const results = await client.open(`${url}/api/results`);
  file.change({ groups: [{ group: 'shop', roles: [{ rights: ['read'] }] }] });
  await results.text(); // the stream ends
  t.deepEqual(await rights(), ['read']);
  file.change({ groups: [{ group: 'platform', roles: [{ rights: ['admin'] }] }] });
  t.is(await rights(), 401, 'the group has no role any more');
  file.change({ groups });
  t.is(await rights(), 401);
  t.like(
    (await audit()).find(({ action }) => action === 'session ended: no role any more'),
    { user: 'kim@example.com' },
  );
});

test('sessions of another provider end when the file names it', async (t) => {
  const { person, file } = await signInWorld(t);
  const { ask } = await person();
  t.is((await ask('GET', '/api/me')).status, 200);
  file.change({ clientId: 'other' });
  t.is((await ask('GET', '/api/me')).status, 401);
});

test('a WebSocket with a cookie must come from a page of the control plane', async (t) => {
  const { person, url } = await signInWorld(t);
  const { cookie } = await person();
  const refusal = async (headers: Record<string, string>) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/commands/none/stream`, {
      headers: { cookie: `helm-agent-session=${cookie()}`, ...headers },
    });
    const [error] = (await once(socket, 'error')) as [Error];
    return Number(/\d+$/.exec(error.message)?.[0]);
  };
  t.is(await refusal({ origin: url }), 404, 'there is no such command');
  t.is(await refusal({}), 403);
  t.is(await refusal({ origin: 'https://evil.example' }), 403);
  t.is(await refusal({ origin: url, 'sec-fetch-site': 'cross-site' }), 403);
});

test('a provider that is not reachable is named in the log, and tried again', async (t) => {
  const { url, file, provider, signInWith, lines } = await signInWorld(t);
  const { issuer } = provider;
  file.change({ issuer: 'http://127.0.0.1:1' });
  const response = await fetch(`${url}/sign-in`, { redirect: 'manual' });
  t.is(response.status, 503);
  t.regex(await response.text(), /the OpenID provider cannot be used now/);
  t.regex(lines.join(''), /cannot use the OpenID provider/);
  file.change({ issuer });
  t.is((await signInWith()).status, 303);
});

test('with https://, cookies are for this server alone and are sent encrypted', async (t) => {
  const { url, file } = await signInWorld(t);
  file.change({ url: 'https://hub.example.com' });
  const response = await fetch(`${url}/sign-in`, { redirect: 'manual' });
  const [cookie = ''] = response.headers.getSetCookie();
  t.regex(cookie, /^__Host-helm-agent-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
  const query = new URL(response.headers.get('location') ?? '').searchParams;
  t.is(query.get('redirect_uri'), 'https://hub.example.com/sign-in/callback');
  t.is(query.get('code_challenge_method'), 'S256');
  t.regex(query.get('code_challenge') ?? '', /^[\w-]{43}$/);
});

test('a session ends when it is not used for some time', async (t) => {
  const { person, audit } = await signInWorld(t, { idle: '300ms' });
  const { ask } = await person();
  const hasEnded = async () => (await audit()).some(({ action }) => action === 'session ended: expired');
  await eventually('the audit log says that the session has ended', hasEnded);
  t.is((await ask('GET', '/api/me')).status, 401);
});
