import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { defaultDownloadSettings } from '../../../src/source/download-settings.ts';
import { pullProvenance } from '../../../src/source/oci/pull-chart.ts';
import { tokenService } from '../../../src/source/oci/registry-token.ts';
import { packChart } from '../packed-chart.ts';
import { serveRegistry } from '../test-registry.ts';
import { serve, type TestResponse } from '../test-repository.ts';

const identityToken = 'Sentinel4711';
const settings = {
  dispatcher: undefined,
  plainHttp: true,
  onPulled: undefined,
  timeoutMs: defaultDownloadSettings.timeoutMs,
};

/** Starts a registry with this token service, and returns how to pull from it with the token. */
async function open(t: ExecutionContext, service?: TestResponse) {
  const provenance = Buffer.from('signed');
  const registry = await serveRegistry(t, { '1.0.0': await packChart('1.0.0') }, { password: 'x', provenance });
  const posts: { method: string | undefined; form: Record<string, string> }[] = [];
  registry.responses['/token'] = (request, response) => {
    void text(request).then((body) => {
      posts.push({ method: request.method, form: Object.fromEntries(new URLSearchParams(body)) });
      if (typeof service === 'function') service(request, response);
      else response.end(service ?? '{"access_token":"open"}');
    });
  };
  const pull = async (credentials: object = { identityToken }) => {
    const url = `oci://${registry.host}/team/web:1.0.0`;
    return Buffer.from(await pullProvenance(url, credentials, settings, AbortSignal.timeout(20_000))).toString();
  };
  return { ...registry, posts, pull };
}

test('an identity token is exchanged for a token of the repository', async (t) => {
  const { posts, requests, pull } = await open(t);
  t.is(await pull(), 'signed');
  const form = {
    grant_type: 'refresh_token',
    refresh_token: identityToken,
    client_id: 'helm-agent',
    service: 'registry',
    scope: 'repository:team/web:pull',
  };
  t.deepEqual(posts, [{ method: 'POST', form }]);
  t.false(JSON.stringify(requests).includes(identityToken));
});

test('an identity token counts more than the user name and the password beside it', async (t) => {
  const { posts, requests, pull } = await open(t);
  t.is(await pull({ username: '00000000-0000-0000-0000-000000000000', password: 'x', identityToken }), 'signed');
  t.is(posts[0]?.form['refresh_token'], identityToken);
  t.is(requests.find(({ url }) => url === '/token')?.authorization, undefined);
});

test('a token of a registry is sent as it is, and its token service is not asked', async (t) => {
  const { posts, pull } = await open(t);
  t.is(await pull({ token: 'open', identityToken }), 'signed');
  t.deepEqual(posts, []);
});

for (const status of [302, 307, 308]) {
  test(`a token service that redirects with ${status} does not pass the identity token on`, async (t) => {
    const other = await serve(t, { '/token': '{"access_token":"open"}' });
    const { pull } = await open(t, (_, response) => {
      response.writeHead(status, { location: `${other.url}/token` }).end();
    });
    await t.throwsAsync(pull(), { code: 'repository_failed', message: new RegExp(`status ${status}`) });
    t.deepEqual(other.requests, []);
  });
}

test('a token service on another domain gets the identity token only with passCredentials', async (t) => {
  const { url, responses, posts, pull } = await open(t);
  const realm = `${url.replace('127.0.0.1', 'localhost')}/token`;
  responses['/v2/'] = (_, response) => {
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}"` }).end();
  };
  await t.throwsAsync(pull(), {
    code: 'repository_unauthorized',
    message: /another domain, so no credentials are sent/,
  });
  t.deepEqual(posts, []);
  t.is(await pull({ identityToken, passCredentials: true }), 'signed');
});

test('a token service without TLS is not asked for a registry with TLS', (t) => {
  const challenge = new Map([['realm', 'http://registry.example/token']]);
  const error = { code: 'repository_invalid', message: /issues it without TLS/ };
  t.throws(() => tokenService(challenge, new URL('https://registry.example/v2/'), ''), error);
});

const fails = test.macro<[string, TestResponse, string]>({
  title: (_, what) => `${what} is an error without the identity token`,
  async exec(t, _, service, code) {
    const { pull } = await open(t, service);
    const error = await t.throwsAsync(pull(), { code });
    t.false(error.message.includes(identityToken));
  },
});
test(fails, 'a refusal', (_, response) => response.writeHead(401).end(identityToken), 'repository_unauthorized');
test(fails, 'an answer that is too long', 'x'.repeat(1024 * 1024 + 1), 'too_large');
test(fails, 'an answer that is not JSON', identityToken, 'repository_invalid');
test(fails, 'an empty token', '{"token":"","access_token":""}', 'repository_invalid');
test(fails, 'a token that is not a text', '{"access_token":{}}', 'repository_invalid');

test('a refused identity token is one that was sent', async (t) => {
  const { pull } = await open(t, (_, response) => response.writeHead(401).end());
  await t.throwsAsync(pull(), { message: /check the user name, the password and their permissions/ });
});
