import test from 'ava';
import { browser } from './support/browser.ts';
import { providerWorld } from './support/certified-provider.ts';

/** Signs in at the pages of the provider, and returns the address or the page of the end. */
async function authenticate(client: ReturnType<typeof browser>, address: string, end: RegExp): Promise<string> {
  let url = address;
  let init: RequestInit = {};
  for (let step = 0; step < 20; step++) {
    const response = await client.open(url, init);
    init = {};
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url).href;
      if (end.test(url)) return url;
      continue;
    }
    const page = await response.text();
    if (end.test(page)) return page;
    const action = /action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) throw new Error(`the page has no form: ${page.slice(-1500)}`);
    const hidden = Array.from(
      page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g),
      (match): [string, string] => [match[1] ?? '', match[2] ?? ''],
    );
    url = new URL(action, url).href;
    init = { method: 'POST', body: new URLSearchParams([...hidden, ['login', 'kim'], ['password', 'x']]) };
  }
  throw new Error('the provider does not come to an end');
}

test('a person signs in at a provider, by its code, a secret in a file and its UserInfo endpoint', async (t) => {
  const { url, lines } = await providerWorld(t);
  const client = browser();
  const begun = await client.open(`${url}/sign-in?returnTo=/commands`);
  const callback = await authenticate(
    client,
    begun.headers.get('location') ?? '',
    /^http:\/\/[^/]+\/sign-in\/callback/,
  );
  const jar = new Map(client.jarOf(url));
  const response = await client.open(callback);
  t.is(response.headers.get('location'), `${url}/commands`, await response.text());
  const me = (await (await client.open(`${url}/api/me`)).json()) as Record<string, unknown>;
  t.like(me, { name: 'kim@example.com', isAdministrator: true });
  jar.forEach((value, name) => client.jarOf(url).set(name, value));
  t.is((await client.open(callback)).status, 401, 'a code counts once');
  t.notRegex(lines.join(''), /sentinel/);
});

test('a code that the provider has given to another client is refused', async (t) => {
  const { url, issuer } = await providerWorld(t);
  const client = browser();
  const begun = await client.open(`${url}/sign-in`);
  const address = new URL(begun.headers.get('location') ?? '');
  t.is(address.origin, issuer);
  address.searchParams.set('client_id', 'other');
  const callback = await authenticate(client, address.href, /^http:\/\/[^/]+\/sign-in\/callback/);
  const response = await client.open(callback);
  t.is(response.status, 401);
  t.regex(await response.text(), /the response of the provider is not valid/);
});

test('a person signs in for a device, whose token is a session of its own', async (t) => {
  const { url } = await providerWorld(t);
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', ...headers },
    });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const { body: begun } = await post('/sign-in/device', {});
  const poll = () => post('/sign-in/device/token', { deviceCode: begun['deviceCode'] });
  t.is((await poll()).status, 202);
  const page = await authenticate(browser(), begun['verificationUriComplete'] ?? '', /Sign-in Success/i);
  t.regex(page, /success/i);
  const { status, body } = await poll();
  t.is(status, 200, JSON.stringify(body));
  t.is((await poll()).status, 401, 'a code counts once');
  const authorization = `Bearer ${body['token'] ?? ''}`;
  const me = await fetch(`${url}/api/me`, { headers: { authorization } });
  t.like(await me.json(), { name: 'kim@example.com', session: { kind: 'ctl' } });
  const cookie = `helm-agent-session=${body['token'] ?? ''}`;
  t.is((await fetch(`${url}/api/me`, { headers: { cookie } })).status, 401, 'it is for no browser');
  t.is((await post('/api/sign-out', {}, { authorization })).status, 200);
  t.is((await fetch(`${url}/api/me`, { headers: { authorization } })).status, 401);
  t.is((await post('/sign-in/device/token', { deviceCode: 'forged' })).status, 401);
  t.is((await post('/sign-in/device/token', { deviceCode: 'a'.repeat(5000) })).status, 400);
});
