import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { removeKubeconfig, requireFreePath, writeKubeconfig } from '../../src/compose/sandbox-kubeconfig.ts';
import { kubeconfigText } from '../../src/sandbox/sandbox.ts';

test('a sandbox replaces only kubeconfigs of sandboxes, and removes only its own', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'kubeconfig');
  const [first = '', second = ''] = ['a', 'b'].map((token) => kubeconfigText('https://127.0.0.1:1', 'ca', token));
  await requireFreePath(file);
  await writeKubeconfig(file, first);
  await requireFreePath(file);
  await writeKubeconfig(file, second);
  await removeKubeconfig(file, first);
  await access(file);
  await removeKubeconfig(file, second);
  await t.throwsAsync(access(file), { code: 'ENOENT' });
  await writeFile(file, 'apiVersion: v1\n');
  await t.throwsAsync(requireFreePath(file), { message: /was not written by a sandbox/ });
});
