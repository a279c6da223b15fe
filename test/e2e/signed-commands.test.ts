import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { signCommand } from '../../src/signatures/command-statement.ts';
import { sshLineOf } from '../../src/signatures/public-key.ts';
import { agentId, answerOf, failureOf } from '../bin/support/world.ts';
import { newSigner } from '../signatures/support/keys.ts';
import { tenant } from './tenant.ts';

const charts = { app: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: app }\n' };

test('an agent performs what was signed, once, and nothing else', async (t) => {
  t.timeout(120_000);
  const ci = newSigner();
  const folder = await mkdtemp(join(tmpdir(), 'signed-e2e-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const policyFile = join(folder, 'policy.yaml');
  const key = `{ name: ci, publicKey: "${sshLineOf(ci.publicKey)}", roles: [deploy] }`;
  const rule = '{ name: all, signedBy: { roles: [deploy] } }';
  await writeFile(policyFile, `keys: [${key}]\nrules: [${rule}]\ndefault: deny\n`);
  const { plane, shop, admin } = await tenant(t, charts, { policyFile });
  const fields = { namespace: shop, releaseName: 'web', chartName: 'app', createNamespace: false };
  const command = { key: 'a', type: 'install_release', payload: JSON.stringify(fields) };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: shop, name: 'app' };

  t.is((await failureOf(plane.send(agentId, { ...command, key: 'unsigned' }))).code, 'signature_required');
  const now = Date.now();
  const times = { now, lifetimeMs: 3_600_000 };
  const envelope = await signCommand({ agentId, ...command }, [ci], times);
  t.is((await failureOf(plane.send(agentId, { ...command, key: 'b', envelope }))).code, 'signature_invalid');
  t.is(await admin.get(object), undefined);

  await answerOf(plane.send(agentId, { ...command, envelope }));
  t.not(await admin.get(object), undefined);
  const old = { key: 'c', type: 'uninstall_release', payload: JSON.stringify({ namespace: shop, releaseName: 'web' }) };
  const signed = await signCommand({ agentId, ...old }, [ci], { ...times, now: now - 1000 });
  t.is((await failureOf(plane.send(agentId, { ...old, envelope: signed }))).code, 'signature_replayed');
  t.not(await admin.get(object), undefined);
});
