import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { serveRegistry } from '../source/test-registry.ts';
import { packedApp } from './support/archive.ts';
import { agentId, answerOf, failureOf, startWorld } from './support/world.ts';

const pod = (name: string, image: string, annotations = '') =>
  `# the pod ${name}\napiVersion: v1\nkind: Pod\nmetadata: { name: ${name}${annotations} }\nspec: { restartPolicy: Never, containers: [{ name: a, image: ${image} }] }\n`;
const plain = 'kind:   ConfigMap # as it is\napiVersion: v1\nmetadata: {name:  map}\n';
const archive = await packedApp({
  'map.yaml': plain,
  'pod.yaml': pod('app', '{{ .Values.image | default "nginx:1" }}'),
  'hook.yaml': pod('before', 'ghcr.io/vendor/hook', ', annotations: { helm.sh/hook: pre-install }'),
});

const folder = mkdtempSync(join(tmpdir(), 'mirrors-'));
const policyFile = join(folder, 'policy.yaml');
const policyText = (mirrors: string) => `${mirrors}rules:
  - { name: a, images: ['registry.internal/*'] }
default: deny
`;
const rules = (host: string) => `mirrors:
  charts: [{ from: 'oci://ghcr.io/vendor', to: 'oci://${host}/team' }]
  images:
    - { from: docker.io, to: registry.internal/hub }
    - { from: ghcr.io/vendor, to: registry.internal/vendor }
pullSecrets: [{ registries: [registry.internal], namespaces: [shop], secret: pull }]
`;
writeFileSync(policyFile, policyText(''));

const world = startWorld({ policyFile, plainHttp: true });
test.after.always(async () => {
  await (await world).close();
  await rm(folder, { recursive: true });
});

const release = { releaseName: 'app', namespace: 'shop', chartName: 'oci://ghcr.io/vendor/web', wait: false } as const;

test.serial('charts and images come from mirrors, and the release says so', async (t) => {
  const { plane, cluster } = await world;
  const { host } = await serveRegistry(t, { '1.0.0': archive });
  writeFileSync(policyFile, policyText(rules(host)));
  const given = { ...release, repoUserName: 'joe', repoPassword: 'secret' };
  const { release: stored } = await answerOf(plane.install(agentId, given));
  const object = await cluster.get({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'app' });
  t.like(object, {
    spec: { containers: [{ image: 'registry.internal/hub/library/nginx:1' }], imagePullSecrets: [{ name: 'pull' }] },
  });
  const text = stored.manifest ?? '';
  t.true(text.includes(plain));
  t.regex(text, /# the pod app\napiVersion: v1\n[^]*image: registry\.internal\/hub\/library\/nginx:1\n/);
  t.regex(JSON.stringify(stored.hooks), /image: registry\.internal\/vendor\/hook\\n/);
  const { differences } = await answerOf(plane.diff(agentId, { ...release, chartVersion: '1.0.0' }));
  t.deepEqual(differences, []);
});

test.serial('a plan has the images of mirrors, and a rule is compared with them', async (t) => {
  const { plane } = await world;
  const { host } = await serveRegistry(t, { '1.0.0': archive });
  writeFileSync(policyFile, policyText(rules(host)));
  const plan = await answerOf(plane.plan(agentId, { ...release, action: 'upgrade', values: 'image: a/b' }));
  t.regex(JSON.stringify(plan.differences), /registry\.internal\/hub\/a\/b/);
  const evil = { ...release, values: 'image: ghcr.io.evil.com/vendor/a' };
  const { code, message } = await failureOf(plane.upgrade(agentId, evil));
  t.is(code, 'denied_by_policy');
  t.regex(message, /images: "ghcr\.io\.evil\.com\/vendor\/a" of Pod app/);
});

test.serial('without mirrors, a template is as Helm renders it', async (t) => {
  const { plane } = await world;
  writeFileSync(policyFile, policyText(''));
  const chart = { releaseName: 'app', namespace: 'shop', chartName: './app', chartArchive: archive.toString('base64') };
  const { manifest } = await answerOf(plane.template(agentId, chart));
  t.true(manifest.includes(pod('app', 'nginx:1')));
  const { code } = await failureOf(plane.upgrade(agentId, chart));
  t.is(code, 'denied_by_policy');
});

test.serial('a rollback to a revision of before uses mirrors, too', async (t) => {
  const { plane, cluster } = await world;
  writeFileSync(policyFile, 'rules: []\ndefault: allow\n');
  const chart = { releaseName: 'old', namespace: 'shop', chartName: './app', chartArchive: archive.toString('base64') };
  const names = { wait: false, noHooks: true, takeOwnership: true } as const;
  await answerOf(plane.uninstall(agentId, { releaseName: 'app', namespace: 'shop' }));
  await answerOf(plane.install(agentId, { ...chart, ...names }));
  await answerOf(plane.upgrade(agentId, { ...chart, ...names, values: 'image: other:1' }));
  // the pod stays, and its pull secrets cannot change
  writeFileSync(policyFile, policyText(rules('127.0.0.1').replace('namespaces: [shop]', 'namespaces: [other]')));
  await answerOf(
    plane.rollback(agentId, { releaseName: 'old', namespace: 'shop', version: 1, noHooks: true, wait: false }),
  );
  const object = await cluster.get({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'app' });
  t.like(object, { spec: { containers: [{ image: 'registry.internal/hub/library/nginx:1' }] } });
});
