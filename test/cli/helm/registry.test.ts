import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { packChart } from '../../source/packed-chart.ts';
import { serve, type TestResponse } from '../../source/test-repository.ts';
import { helmHome } from './support/helm-home.ts';

const password = 'secret';
const basic = `Basic ${Buffer.from(`joe:${password}`).toString('base64')}`;

function digestOf(data: Buffer): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

/**
 * Starts a registry that charts can be pushed to as `team/web`, with basic authentication. It
 * refuses the first `busy` uploads.
 */
async function servePushable(t: ExecutionContext, tag = '1.0.0', busy = 0) {
  const responses: Record<string, TestResponse> = {};
  const guarded =
    (respond: Exclude<TestResponse, string | Buffer>): TestResponse =>
    (request, response) => {
      if (request.headers.authorization === basic) respond(request, response);
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="registry"' }).end();
    };
  const stored = (data: Buffer) => guarded((_, response) => response.end(data));
  let refusals = busy;
  responses['/v2/'] = stored(Buffer.from('{}'));
  responses['/v2/team/web/blobs/uploads/'] = guarded((_, response) => {
    response.writeHead(202, { location: '/v2/team/web/blobs/uploads/1?state=a' }).end();
  });
  responses['/v2/team/web/blobs/uploads/1'] = guarded((request, response) => {
    void buffer(request).then((data) => {
      if (refusals-- > 0) {
        response.writeHead(503).end();
        return;
      }
      responses[`/v2/team/web/blobs/${digestOf(data)}`] = stored(data);
      response.writeHead(201).end();
    });
  });
  responses[`/v2/team/web/manifests/${tag}`] = guarded((request, response) => {
    void buffer(request).then((data) => {
      for (const name of [tag, digestOf(data)]) responses[`/v2/team/web/manifests/${name}`] = stored(data);
      response.writeHead(201).end();
    });
  });
  const { url, requests } = await serve(t, responses);
  return { host: new URL(url).host, requests };
}

const refusesHost = test.macro({
  title: (_, form: string) => `a login to ${form} is refused before the password is sent`,
  async exec(t, form: string) {
    const { host, requests } = await servePushable(t);
    const name = form.replace('HOST', host);
    const { helm } = await helmHome(t);
    const { code, stderr } = await helm('registry', 'login', name, '--plain-http', '-u', 'joe', '-p', password);
    t.is(code, 1);
    t.is(stderr.trimEnd().split('\n').at(-1), `Error: invalid reference: invalid registry "${name}"`);
    t.deepEqual(requests, []);
  },
});

test(refusesHost, 'oci://HOST');
test(refusesHost, 'http://HOST');
test(refusesHost, 'HOST/');
test(refusesHost, 'HOST/path');
test(refusesHost, 'joe@HOST');

test('a chart is pushed to a registry and pulled with the credentials of a login', async (t) => {
  const { host } = await servePushable(t);
  const { home, helm } = await helmHome(t);
  const archive = await packChart('a server');
  await writeFile(join(home, 'web.tgz'), archive);
  const push = ['push', join(home, 'web.tgz'), `oci://${host}/team`, '--plain-http'];
  t.is((await helm(...push)).code, 1);

  const refused = await helm('registry', 'login', host, '--plain-http', '-u', 'joe', '-p', 'wrong');
  t.is(refused.code, 1);
  t.regex(refused.stderr, /^level=WARN msg="using --password .*\nError: authenticating to /);
  const login = await helm('registry', 'login', host, '--plain-http', '-u', 'joe', '-p', password);
  t.is(login.stdout, 'Login Succeeded\n');
  const config = join(home, 'config/registry/config.json');
  const auth = Buffer.from(`joe:${password}`).toString('base64');
  t.is(await readFile(config, 'utf8'), `{\n\t"auths": {\n\t\t"${host}": {\n\t\t\t"auth": "${auth}"\n\t\t}\n\t}\n}`);

  const pushed = await helm(...push);
  t.is(pushed.code, 0);
  t.regex(pushed.stdout, new RegExp(`^Pushed: ${host}/team/web:1\\.0\\.0\nDigest: sha256:\\w{64}\n$`));
  const pulled = await helm('pull', `oci://${host}/team/web`, '--version', '1.0.0', '--plain-http', '-d', home);
  t.is(pulled.stdout, pushed.stdout.replace('Pushed', 'Pulled'));
  t.deepEqual(await readFile(join(home, 'web-1.0.0.tgz')), archive);
  const shown = await helm('show', 'chart', `oci://${host}/team/web:1.0.0`, '--plain-http');
  t.regex(shown.stdout, /description: a server/);
  t.is(shown.stderr, pulled.stdout);

  t.is((await helm('registry', 'logout', host)).stdout, `Removing login credentials for ${host}\n`);
  t.is((await helm(...push)).code, 1);
});

test('a chart of a registry must have the digest that the index of its repository states', async (t) => {
  const { host } = await servePushable(t);
  const { home, helm } = await helmHome(t);
  const archive = await packChart('a server');
  await writeFile(join(home, 'web.tgz'), archive);
  const credentials = ['--plain-http', '--username', 'joe', '--password', password];
  const pushed = await helm('push', join(home, 'web.tgz'), `oci://${host}/team`, ...credentials);
  const manifest = /sha256:\w{64}/.exec(pushed.stdout)?.[0] ?? '';
  const pull = async (digest: string) => {
    const entry = { apiVersion: 'v2', name: 'web', version: '1.0.0', urls: [`oci://${host}/team/web`], digest };
    const { url } = await serve(t, { '/index.yaml': JSON.stringify({ apiVersion: 'v1', entries: { web: [entry] } }) });
    return await helm('pull', 'web', '--repo', url, '-d', home, ...credentials);
  };
  const wrong = await pull('0'.repeat(64));
  t.is(wrong.code, 1);
  t.regex(wrong.stderr, /does not match its digest/);
  for (const right of [digestOf(archive), manifest, '']) t.is((await pull(right)).code, 0, right);
});

test('a chart whose version has a plus sign is pushed and pulled with an underscore in its tag', async (t) => {
  const { host } = await servePushable(t, '1.0.0_build');
  const { home, helm } = await helmHome(t);
  await writeFile(join(home, 'web.tgz'), await packChart('a server', '1.0.0+build'));
  const credentials = ['--plain-http', '--username', 'joe', '--password', password];
  const pushed = await helm('push', join(home, 'web.tgz'), `oci://${host}/team`, ...credentials);
  t.is(pushed.code, 0, pushed.stderr);
  const [, , line, , sentence] = pushed.stdout.split('\n');
  t.is(line, `${host}/team/web:1.0.0_build contains an underscore.`);
  t.is(sentence, 'OCI artifact references (e.g. tags) do not support the plus sign (+). To support');
  const pulled = await helm('pull', `oci://${host}/team/web:1.0.0+build`, '-d', home, ...credentials);
  t.is(pulled.stdout, pushed.stdout.replace('Pushed', 'Pulled'));
});

test('an upload that a busy registry refuses is repeated', async (t) => {
  const { host } = await servePushable(t, '1.0.0', 1);
  const { home, helm } = await helmHome(t);
  await writeFile(join(home, 'web.tgz'), await packChart('a server'));
  const credentials = ['--plain-http', '--username', 'joe', '--password', password];
  t.is((await helm('push', join(home, 'web.tgz'), `oci://${host}/team`, ...credentials)).stderr, '');
  t.is((await helm('pull', `oci://${host}/team/web:1.0.0`, '-d', home, ...credentials)).code, 0);
});

test('push refuses what helm push refuses', async (t) => {
  const { home, helm } = await helmHome(t);
  const errorOf = async (...args: string[]) => (await helm('push', ...args)).stderr;
  t.is(await errorOf('a', 'b'), 'Error: scheme prefix missing from remote (e.g. "oci://")\n');
  t.is(await errorOf('a', 'http://host'), 'Error: scheme "http" not supported\n');
  t.is(await errorOf('a', 'oci://host'), 'Error: a: no such file\n');
  t.is(await errorOf(home, 'oci://host'), 'Error: cannot push directory, must provide chart archive (.tgz)\n');
});
