import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openConnection } from '../../src/kube/connection.ts';
import { processHost } from '../../src/render/process-host.ts';
import { makeCertificates } from '../../src/sandbox/certificates.ts';
import { kubeconfigOf } from './fake-server.ts';

const apiVersion = 'client.authentication.k8s.io/v1';

/** Opens a connection whose credentials are those of a script, or of a command. */
function connectionOf(
  t: ExecutionContext,
  { script = '', ...plugin }: { script?: string; [field: string]: unknown },
  cluster: object = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const command = join(folder, 'plugin');
  writeFileSync(command, `#!/bin/sh\ncd ${folder}\necho run >> runs\n${script}\n`);
  chmodSync(command, 0o755);
  const exec = { apiVersion, command, interactiveMode: 'Never', ...plugin };
  const connection = openConnection({ text: kubeconfigOf('https://127.0.0.1:1', { exec }, cluster) });
  t.teardown(() => connection.close());
  return { connection, command, runs: () => readFileSync(join(folder, 'runs'), 'utf8').split('\n').length - 1 };
}

function answerOf(status: object, version = apiVersion): string {
  return `echo '${JSON.stringify({ apiVersion: version, kind: 'ExecCredential', status })}'`;
}

test('a plugin gets its arguments and variables, and runs once for requests at the same time', async (t) => {
  const script = `printf '{"apiVersion":"${apiVersion}","status":{"token":"%s"}}' "$1-$NAME-$(echo "$KUBERNETES_EXEC_INFO" | tr -d '"')"`;
  const { connection, runs } = connectionOf(t, { script, args: ['a b'], env: [{ name: 'NAME', value: 'v' }] });
  const prepared = await Promise.all([connection.prepare(), connection.prepare()]);
  const info = `{kind:ExecCredential,apiVersion:${apiVersion},spec:{interactive:false}}`;
  for (const { headers } of [...prepared, await connection.prepare()]) {
    t.deepEqual(headers, { Authorization: `Bearer a b-v-${info}` });
  }
  t.is(runs(), 1);
});

const providesClusterInfo = test.macro({
  async exec(t, cluster: object, info: object) {
    const script = `printf '{"apiVersion":"${apiVersion}","status":{"token":"%s"}}' "$(echo "$KUBERNETES_EXEC_INFO" | base64 -w0)"`;
    const { connection } = connectionOf(t, { script, provideClusterInfo: true }, cluster);
    const { headers } = await connection.prepare();
    const sent = Buffer.from(String(headers['Authorization']).slice('Bearer '.length), 'base64').toString();
    t.deepEqual(JSON.parse(sent), {
      kind: 'ExecCredential',
      apiVersion,
      spec: { cluster: { server: 'https://127.0.0.1:1', ...info }, interactive: false },
    });
  },
  title: (_, cluster: object) => `a plugin that asks for it gets the cluster ${Object.keys(cluster).join()}`,
});
test(providesClusterInfo, {}, { 'insecure-skip-tls-verify': true, config: null });
const { ca } = makeCertificates(processHost(), '127.0.0.1');
const caFile = join(mkdtempSync(join(tmpdir(), 'helm-agent-')), 'ca');
writeFileSync(caFile, ca);
test.after.always(() => rmSync(dirname(caFile), { recursive: true }));
test(
  providesClusterInfo,
  {
    'insecure-skip-tls-verify': false,
    'tls-server-name': 'api',
    'certificate-authority': caFile,
    'proxy-url': 'http://proxy.example',
    'disable-compression': true,
    extensions: [
      { name: 'other', extension: { audience: 'no' } },
      { name: 'client.authentication.k8s.io/exec', extension: { audience: '06e3', list: [1, null] } },
    ],
  },
  {
    'tls-server-name': 'api',
    'certificate-authority-data': Buffer.from(ca).toString('base64'),
    'proxy-url': 'http://proxy.example',
    'disable-compression': true,
    config: { audience: '06e3', list: [1, null] },
  },
);
test(providesClusterInfo, { extensions: 'x' }, { 'insecure-skip-tls-verify': true, config: null });

test('a plugin runs again when its credentials have expired', async (t) => {
  const status = { token: 'x', expirationTimestamp: '2020-01-01T00:00:00Z' };
  const { connection, runs } = connectionOf(t, { script: answerOf(status) });
  await connection.prepare();
  await connection.prepare();
  t.is(runs(), 2);
});

test('a plugin runs again when the API server has rejected its credentials', async (t) => {
  const { connection, runs } = connectionOf(t, { script: answerOf({ token: 'x' }) });
  const [first, same] = [await connection.prepare(), await connection.prepare()];
  first.onRejected?.();
  await connection.prepare();
  same.onRejected?.(); // of credentials that are not used any more
  await connection.prepare();
  t.is(runs(), 2);
});

const fails = test.macro({
  async exec(t, plugin: object, reason: string) {
    const { connection, command } = connectionOf(t, { script: answerOf({ token: 'x' }), ...plugin });
    const message = `getting credentials: ${reason.replace('COMMAND', command)}`;
    const error = await t.throwsAsync(connection.prepare(), { code: 'unreachable', message });
    t.is(error.cause, undefined);
  },
  title: (_, plugin: object) =>
    `a plugin that fails has the error of client-go, without its output: ${JSON.stringify(plugin)}`,
});
const notFound = `exec: executable no-such-plugin not found

It looks like you are trying to use a client-go credential plugin that is not installed.

To learn more about this feature, consult the documentation available at:
      https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins`;
test(fails, { command: 'no-such-plugin' }, notFound);
test(fails, { command: 'no-such-plugin', installHint: 'in\u001b[1mstall' }, `${notFound}\n\ninU+001B[1mstall`);
test(fails, { script: 'echo secret; exit 3' }, 'exec: executable COMMAND failed with exit code 3');
test(fails, { script: 'kill -9 $$' }, 'exec: executable COMMAND failed with exit code -1');
test(fails, { script: 'exec yes secret' }, 'exec: executable COMMAND printed more than 1048576 bytes');
test(fails, { script: 'echo secret' }, 'decoding stdout: the plugin did not print JSON');
test(fails, { script: answerOf({}) }, "exec plugin didn't return a token or cert/key pair");
test(
  fails,
  { script: answerOf({ clientKeyData: 'secret' }) },
  'exec plugin returned only certificate or key, not both',
);
test(
  fails,
  { script: answerOf({ token: 'x' }, 'v2') },
  `exec plugin is configured to use API version ${apiVersion}, plugin returned another one`,
);
