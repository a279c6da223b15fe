import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { serveRegistry } from '../source/test-registry.ts';
import { indexYaml, serve } from '../source/test-repository.ts';
import { bundleResponses, newCosignKey, provenanceOf, publicKeyring } from '../source/verification/signatures.ts';
import { createSigstore, keylessBundle, testIdentity, testIssuer } from '../source/verification/test-sigstore.ts';
import { packedApp } from './support/archive.ts';
import { agentId, answerOf, failureOf, startWorld } from './support/world.ts';

const archive = await packedApp({ 'map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n' });
const chartProvenance = (await provenanceOf(archive, { fileName: 'app-1.0.0.tgz' })).toString();
const chart = { releaseName: 'app', chartName: './app', chartArchive: archive.toString('base64') };

const folder = mkdtempSync(join(tmpdir(), 'verified-charts-'));
const policyFile = join(folder, 'policy.yaml');
const indented = (text: string) => text.replaceAll('\n', '\n      ');
const sigstore = createSigstore();
const policyText = (verify: string, identity = testIdentity) => `chartKeys:
  - name: vendor
    keyring: |
      ${indented(publicKeyring)}
  - name: other
    publicKey: |
      ${indented(newCosignKey().publicKey)}
  - name: workflow
    keyless: ${JSON.stringify({ issuer: testIssuer, identity, trustedRoot: sigstore.trustedRoot })}
rules:
  - { name: strict, namespaces: [strict], commands: [deploy, read], verify: ${verify} }
default: allow
`;
writeFileSync(policyFile, policyText('{ keys: [vendor] }'));

const world = startWorld({ policyFile, plainHttp: true });
test.after.always(async () => {
  await (await world).close();
  await rm(folder, { recursive: true });
});

test.serial('a chart of the repository is verified in a thread, and the answer says who has signed', async (t) => {
  const { plane } = await world;
  const { url } = await serve(t, {
    '/index.yaml': indexYaml({ app: [{ version: '1.0.0' }] }),
    '/app-1.0.0.tgz': archive,
    '/app-1.0.0.tgz.prov': chartProvenance,
  });
  const fields = { releaseName: 'app', namespace: 'strict', repoUrl: url, chartName: 'app' };
  const { chartSignature } = await answerOf(plane.install(agentId, fields));
  t.like(chartSignature, { by: 'vendor', scheme: 'provenance' });
});

test.serial('a rule refuses what is not signed, whatever the command asks for', async (t) => {
  const { plane } = await world;
  const unsigned = { ...chart, namespace: 'strict', verify: 'never' } as const;
  const { code, message } = await failureOf(plane.upgrade(agentId, unsigned));
  t.is(code, 'denied_by_policy');
  t.regex(message, /rule strict of the policy does not allow it: verify: the chart app 1\.0\.0 has no signature/);
  const forged = { ...unsigned, chartProvenance: chartProvenance.replace(/[0-9a-f]{64}/, '0'.repeat(64)) };
  t.regex((await failureOf(plane.upgrade(agentId, forged))).message, /provenance file: openpgp: invalid signature/);
  const { chartSignature } = await answerOf(plane.upgrade(agentId, { ...unsigned, chartProvenance }));
  t.is(chartSignature?.by, 'vendor');
});

test.serial('a command asks for a signature without a rule', async (t) => {
  const { plane } = await world;
  const free = { ...chart, namespace: 'free', verify: 'always' } as const;
  t.is((await failureOf(plane.install(agentId, free))).code, 'chart_not_verified');
  await answerOf(plane.install(agentId, { ...free, chartProvenance }));
});

test.serial('manifests are not signed', async (t) => {
  const { plane } = await world;
  const manifests = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';
  const command = plane.send(agentId, {
    type: 'apply_manifests',
    payload: { namespace: 'strict', releaseName: 'set', manifests },
  });
  t.is((await failureOf(command)).code, 'denied_by_policy');
});

test.serial('a plan says who has signed, and is performed only while that key counts', async (t) => {
  const { plane } = await world;
  const fields = { ...chart, action: 'upgrade', namespace: 'strict', chartProvenance } as const;
  const { plan, chartSignature } = await answerOf(plane.plan(agentId, fields));
  t.is(chartSignature?.by, 'vendor');
  writeFileSync(policyFile, policyText('{ keys: [other] }'));
  const apply = () => plane.applyPlan(agentId, { plan });
  const { code, message } = await failureOf(apply());
  t.is(code, 'denied_by_policy');
  t.regex(message, /verify: the chart is signed by vendor/);
  writeFileSync(policyFile, policyText('{ keys: [vendor] }'));
  await answerOf(apply());
});

test.serial('a plan has the identity that has signed its chart, and is performed only while that counts', async (t) => {
  const { plane } = await world;
  const { host, digests, responses } = await serveRegistry(t, { '1.0.0': archive });
  const digest = digests['1.0.0'] ?? '';
  Object.assign(responses, bundleResponses(JSON.stringify(keylessBundle({ sigstore, digest })), digest));
  // the name of the chart is that of its repository
  for (const path of Object.keys(responses))
    responses[path.replace('/team/web/', '/team/app/')] = responses[path] ?? '';
  writeFileSync(policyFile, policyText('{ keys: [workflow] }'));
  const fields = { releaseName: 'app', namespace: 'strict', chartName: `oci://${host}/team/app` } as const;
  const { plan, chartSignature } = await answerOf(plane.plan(agentId, { ...fields, action: 'upgrade' }));
  t.like(chartSignature, { by: 'workflow', scheme: 'cosign', issuer: testIssuer, identity: testIdentity, digest });

  writeFileSync(policyFile, policyText('{ keys: [workflow] }', 'https://github.com/other/*'));
  const { code, message } = await failureOf(plane.applyPlan(agentId, { plan }));
  t.is(code, 'denied_by_policy');
  t.true(message.includes(`verify: the chart is signed by workflow (${testIdentity})`), message);
  const direct = await failureOf(plane.upgrade(agentId, fields));
  t.is(direct.code, 'denied_by_policy');
  t.regex(
    direct.message,
    /rule strict .*verify: .*for workflow, the identity in its certificate is "https:.*", not "https/,
  );

  writeFileSync(policyFile, policyText('{ keys: [workflow] }'));
  t.like((await answerOf(plane.applyPlan(agentId, { plan }))).chartSignature, { identity: testIdentity });
});
