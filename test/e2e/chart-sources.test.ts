import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { connectCluster } from '../../src/kube/cluster.ts';
import { uniqueName } from '../api/environment.ts';
import { packedApp } from '../bin/support/archive.ts';
import { answerOf, failureOf } from '../bin/support/world.ts';
import { serveRegistry } from '../source/test-registry.ts';
import {
  bundleResponses,
  newCosignKey,
  provenanceOf,
  publicKeyring,
  simpleSignature,
} from '../source/verification/signatures.ts';
import {
  createSigstore,
  keylessBundle,
  type KeylessOptions,
  testIdentity,
  testIssuer,
} from '../source/verification/test-sigstore.ts';
import { useHarness } from './harness.ts';
import { kubeconfigText } from './real-cluster.ts';

// Signatures of charts, mirrors and pull secrets of a policy, on a real cluster and its node.

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: { name: "{{ .Release.Name }}" }
spec:
  selector: { matchLabels: { app: "{{ .Release.Name }}" } }
  template:
    metadata: { labels: { app: "{{ .Release.Name }}" } }
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{ name: app, image: "{{ .Values.image | default "registry.example.com/app:1" }}" }]
`;
const archive = await packedApp({ 'app.yaml': deployment });
const provenance = (await provenanceOf(archive, { fileName: 'app-1.0.0.tgz' })).toString();
const vendor = newCosignKey();
const sigstore = createSigstore();

const namespace = uniqueName('i27b-sources');
const folder = mkdtempSync(join(tmpdir(), 'e2e-chart-sources-'));
const policyFile = join(folder, 'policy.yaml');
const indented = (text: string) => text.trim().replaceAll('\n', '\n      ');
const policyText = (host: string) => `chartKeys:
  - name: vendor
    publicKey: |
      ${indented(vendor.publicKey)}
  - name: vendor-helm
    keyring: |
      ${indented(publicKeyring)}
  - name: workflow
    keyless: ${JSON.stringify({ issuer: testIssuer, identity: testIdentity, trustedRoot: sigstore.trustedRoot })}
mirrors:
  charts: [{ from: 'oci://registry.example.com/charts', to: 'oci://${host}/team' }]
  images: [{ from: registry.example.com, to: localhost }]
pullSecrets: [{ registries: [localhost], namespaces: [${namespace}], secret: pull }]
rules:
  - { name: cosign, releases: [cosign-*], verify: { keys: [vendor] } }
  - { name: keyless, releases: [keyless-*], verify: { keys: [workflow] } }
  - { name: provenance, releases: [provenance-*], verify: { keys: [vendor-helm] } }
  - { name: present, releases: [present-*], verify: { mode: if-present } }
  - { name: mirrored, namespaces: [${namespace}], images: ['localhost/*'] }
default: deny
`;
writeFileSync(policyFile, policyText('127.0.0.1:1'));

const cluster = connectCluster({ text: kubeconfigText() });
const harness = useHarness(() => ({
  kubeconfig: kubeconfigText(),
  localCharts: folder,
  arguments: ['--policy-file', policyFile, '--plain-http'],
}));

test.before('a namespace', async () => {
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});

test.after.always('a namespace', async () => {
  await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  await cluster.close();
  await rm(folder, { recursive: true });
});

const minutes = 60_000;
const sent = { chartName: './app', chartArchive: archive.toString('base64') };
const target = (releaseName: string) => ({ namespace, releaseName, createNamespace: false, wait: false });

/** Serves the chart `app` in a registry, to which the mirror of the policy leads. */
async function serveChart(t: ExecutionContext) {
  const registry = await serveRegistry(t, { '1.0.0': archive });
  for (const path of Object.keys(registry.responses)) {
    const response = registry.responses[path];
    if (response !== undefined) registry.responses[path.replace('/team/web/', '/team/app/')] = response;
  }
  writeFileSync(policyFile, policyText(registry.host));
  return registry;
}

const chartName = 'oci://registry.example.com/charts/app';

test.serial(
  'a chart of a mirror that cosign has signed is installed, and runs with the image of a mirror',
  async (t) => {
    t.timeout(10 * minutes);
    const { plane, agentId } = harness();
    const { digests, responses } = await serveChart(t);
    const signature = simpleSignature({ digest: digests['1.0.0'] ?? '', ...vendor });
    for (const [path, response] of Object.entries(signature)) responses[path.replace('/web/', '/app/')] = response;
    const fields = { ...target('cosign-a'), chartName, chartVersion: '1.0.0', wait: true };
    const { chartSignature, release } = await answerOf(plane.install(agentId, fields));
    t.like(chartSignature, { by: 'vendor', scheme: 'cosign', digest: digests['1.0.0'] });
    t.true(release.manifest?.includes('image: localhost/app:1'));
    const object = await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'cosign-a' });
    t.like(object, {
      spec: {
        template: { spec: { containers: [{ image: 'localhost/app:1' }], imagePullSecrets: [{ name: 'pull' }] } },
      },
    });
  },
);

test.serial('a chart that an identity has signed without a key is installed, and none of another one', async (t) => {
  t.timeout(5 * minutes);
  const { plane, agentId } = harness();
  const { digests, responses } = await serveChart(t);
  const digest = digests['1.0.0'] ?? '';
  const install = (name: string, options: Partial<KeylessOptions> = {}) => {
    const bundle = JSON.stringify(keylessBundle({ sigstore, digest, ...options }));
    for (const [path, response] of Object.entries(bundleResponses(bundle, digest))) {
      responses[path.replace('/web/', '/app/')] = response;
    }
    return plane.install(agentId, { ...target(name), chartName, chartVersion: '1.0.0' });
  };
  const signer = { by: 'workflow', scheme: 'cosign', issuer: testIssuer, identity: testIdentity };
  t.like((await answerOf(install('keyless-a'))).chartSignature, signer);
  for (const [name, options, expected] of [
    [
      'keyless-b',
      { identity: `${testIdentity}1` },
      /rule keyless .*: verify: .*the identity in its certificate is "https/,
    ],
    ['keyless-c', { authority: createSigstore().intermediate }, /not of an authority of the trusted root/],
    ['keyless-d', { digest: `sha256:${'0'.repeat(64)}` }, /they are for other manifests/],
  ] as const) {
    const { code, message } = await failureOf(install(name, options));
    t.is(code, 'denied_by_policy');
    t.regex(message, expected);
  }
});

test.serial('a chart of a mirror without a signature is refused', async (t) => {
  t.timeout(5 * minutes);
  const { plane, agentId } = harness();
  await serveChart(t);
  const { code, message } = await failureOf(plane.install(agentId, { ...target('cosign-b'), chartName }));
  t.is(code, 'denied_by_policy');
  t.regex(message, /rule cosign of the policy does not allow it: verify: the chart app 1\.0\.0 has no signature/);
});

test.serial('a chart that is sent with its provenance file is installed, and refused with another one', async (t) => {
  t.timeout(5 * minutes);
  const { plane, agentId } = harness();
  const install = (name: string, chartProvenance?: string) =>
    plane.install(agentId, { ...target(name), ...sent, ...(chartProvenance !== undefined && { chartProvenance }) });
  t.is((await answerOf(install('provenance-a', provenance))).chartSignature?.by, 'vendor-helm');
  t.regex((await failureOf(install('provenance-b'))).message, /rule provenance .*: verify: .*has no signature/);
  const forged = provenance.replace(/sha256:[0-9a-f]{4}/, 'sha256:0000');
  t.regex((await failureOf(install('provenance-c', forged))).message, /rule provenance .*: verify: .*provenance file/);
  await answerOf(install('present-a'));
  t.is((await failureOf(install('present-b', forged))).code, 'denied_by_policy');
});

test.serial('an image that no mirror is for is refused by the rule for images', async (t) => {
  t.timeout(5 * minutes);
  const { plane, agentId } = harness();
  await answerOf(plane.install(agentId, { ...target('mirrored-a'), ...sent }));
  const evil = { ...target('mirrored-b'), ...sent, values: 'image: registry.example.com.evil.com/app:1' };
  const { code, message } = await failureOf(plane.install(agentId, evil));
  t.is(code, 'denied_by_policy');
  t.regex(message, /rule mirrored .*: images: "registry\.example\.com\.evil\.com\/app:1"/);
  const drift = await answerOf(plane.drift(agentId, { namespace, releaseName: 'mirrored-a' }));
  t.deepEqual(drift.drift, []);
});

test.serial('nothing of what was refused is in the cluster', async (t) => {
  t.timeout(5 * minutes);
  const found = await cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace });
  const names = found.map(({ metadata }) => metadata.name).sort();
  t.deepEqual(names, ['cosign-a', 'keyless-a', 'mirrored-a', 'present-a', 'provenance-a']);
});
