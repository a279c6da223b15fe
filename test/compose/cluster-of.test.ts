import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import test from 'ava';
import { clusterOf } from '../../src/compose/cluster-of.ts';

const config = (t: { teardown(fn: () => void): void }) => {
  const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'config'), '');
  return join(folder, 'config');
};

test('a kubeconfig that is given wins over the environment', (t) => {
  t.deepEqual(clusterOf('x', { KUBECONFIG: config(t), KUBERNETES_SERVICE_HOST: '10.0.0.1' }), { file: 'x' });
});

test('all files of KUBECONFIG are used, also in a pod', (t) => {
  const file = config(t);
  const env = { KUBECONFIG: ['/none', '', file].join(delimiter), KUBERNETES_SERVICE_HOST: '10.0.0.1' };
  t.deepEqual(clusterOf(undefined, env), { files: ['/none', file] });
});

test('in a pod without KUBECONFIG, the service account is used', (t) => {
  t.is(clusterOf(undefined, { KUBERNETES_SERVICE_HOST: '10.0.0.1' }), 'service-account');
  t.is(clusterOf(undefined, { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBECONFIG: '' }), 'service-account');
});

test('if no file of KUBECONFIG exists, no other one is used', (t) => {
  t.throws(() => clusterOf(undefined, { KUBECONFIG: ['/none/a', '/none/b'].join(delimiter) }), {
    message: /^no cluster found: KUBECONFIG names \/none\/a, \/none\/b, which does not exist;/,
  });
});
