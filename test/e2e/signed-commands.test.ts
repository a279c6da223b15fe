import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { signCommand } from '../../src/signatures/command-statement.ts';
import { sshLineOf } from '../../src/signatures/public-key.ts';
import { signResult, verifyResult } from '../../src/signatures/result-statement.ts';
import { pemSigner } from '../../src/signatures/signer.ts';
import { agentId, answerOf, failureOf } from '../bin/support/world.ts';
import { newPrivateKey, newSigner } from '../signatures/support/keys.ts';
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

test('a control plane cannot report another result than the agent has signed', async (t) => {
  t.timeout(120_000);
  const folder = await mkdtemp(join(tmpdir(), 'results-e2e-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const resultKeyFile = join(folder, 'agent.pem');
  const privateKey = newPrivateKey();
  const { publicKey } = pemSigner(privateKey);
  await writeFile(resultKeyFile, privateKey);
  const { plane, shop } = await tenant(t, { ...charts, broken: '{{ fail "no" }}' }, { resultKeyFile });
  const type = 'install_release';
  /** Returns what the control plane gets from the agent. */
  const performed = async (key: string, chartName: string) => {
    const payload = JSON.stringify({ namespace: shop, releaseName: key, chartName, createNamespace: false });
    let envelope = '';
    let result = '';
    for await (const event of plane.send(agentId, { key, type, payload })) {
      if (event.type === 'signature') envelope = event.payload.envelope;
      if (event.type === 'result') result = JSON.stringify(event.payload);
    }
    const fingerprint = createHash('sha256').update(`${type}\n${payload}`).digest('hex');
    return { envelope, facts: { agentId, key, fingerprint, result } };
  };
  const good = await performed('good', 'app');
  const bad = await performed('bad', 'broken');
  t.regex(bad.facts.result, /"ok":false/);
  for (const { envelope, facts } of [good, bad]) verifyResult(envelope, facts, [publicKey]);

  const { envelope, facts } = bad;
  const success = good.facts.result;
  const forgeries = [
    [envelope, { ...facts, result: success }, /changed after the agent/],
    [good.envelope, { ...facts, result: success }, /another key/],
    [good.envelope, { ...facts, key: 'good', result: success }, /the one that was sent has been changed/],
    [good.envelope, { ...good.facts, agentId: 'edge-2' }, /another agent/],
    [signResult({ ...facts, result: success }, newSigner()), { ...facts, result: success }, /no signature of the key/],
  ] as const;
  for (const [forged, claimed, message] of forgeries) {
    t.throws(() => verifyResult(forged, claimed, [publicKey]), { code: 'signature_invalid', message });
  }
});
