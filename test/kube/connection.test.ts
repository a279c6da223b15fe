import test from 'ava';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection } from '../../src/kube/connection.ts';
import { kubeconfigOf } from './fake-server.ts';

test('a kubeconfig file is read, and a certificate that is rotated is taken up', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
  writeFileSync(join(folder, 'config'), kubeconfigOf('https://127.0.0.1:1/', user));
  writeFileSync(join(folder, 'client.crt'), 'first');
  writeFileSync(join(folder, 'client.key'), 'key');
  const connection = openConnection({ file: join(folder, 'config') });
  t.teardown(() => connection.close());
  t.is(connection.server, 'https://127.0.0.1:1');
  t.is(connection.namespace, 'default');
  const first = await connection.prepare();
  t.is((await connection.prepare()).dispatcher, first.dispatcher);
  writeFileSync(join(folder, 'client.crt'), 'second');
  t.not((await connection.prepare()).dispatcher, first.dispatcher);
});

test('a user with name and password is known by both', async (t) => {
  const connection = openConnection({ text: kubeconfigOf('https://127.0.0.1:1', { username: 'ann', password: 'pw' }) });
  t.teardown(() => connection.close());
  const { headers } = await connection.prepare();
  t.is(headers['Authorization'], `Basic ${Buffer.from('ann:pw').toString('base64')}`);
});

test('a file that is not there is named', (t) => {
  const error = t.throws(() => openConnection({ file: '/no/such/kubeconfig' }));
  t.regex(error.message, /^kubeconfig \/no\/such\/kubeconfig cannot be read: ENOENT/);
});
