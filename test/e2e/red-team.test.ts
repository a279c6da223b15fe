import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { load } from 'js-yaml';
import { agentOf } from '../../src/compose/agent-of.ts';
import { ControlPlane, type SentCommand } from '../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../src/kube/cluster.ts';
import { signApproval } from '../../src/signatures/approval-statement.ts';
import { signCommand } from '../../src/signatures/command-statement.ts';
import { sshLineOf } from '../../src/signatures/public-key.ts';
import type { LocalSigner } from '../../src/signatures/signer.ts';
import type { SignOptions } from '../../src/signatures/statement.ts';
import { recordingLog } from '../agent/support/log.ts';
import { packedApp } from '../bin/support/archive.ts';
import { agentId, answerOf, failureOf } from '../bin/support/world.ts';
import { newSigner } from '../signatures/support/keys.ts';
import { eventually } from '../support/eventually.ts';
import { freeNamespace } from './namespaces.ts';
import { kubeconfigText } from './real-cluster.ts';

// The control plane is in the hands of an attacker, with all its keys and its database, and the
// agent has all rights in the cluster: only the policy of its owner is in the way.

const ci = newSigner();
const alice = newSigner();
const hour = 3_600_000;
const minutes = 60_000;

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** A day on which the test does not run. */
const farDay = days[(new Date().getUTCDay() + 3) % 7] ?? '';

const policyOf = (shop: string, origin: string) => `keys:
  - { name: ci, publicKey: "${sshLineOf(ci.publicKey)}", roles: [deploy] }
  - { name: alice, publicKey: "${sshLineOf(alice.publicKey)}", roles: [ops] }
rules:
  - { name: reading, namespaces: [${shop}], commands: [read], lookup: release, deniedReadKinds: [Secret] }
  - { name: closed, namespaces: [${shop}], releases: [closed-*], windows: [{ days: [${farDay}], from: "00:00", to: "00:01" }] }
  - { name: approved, namespaces: [${shop}], releases: [approved-*], approvedBy: { roles: [ops] } }
  - { name: annotated, namespaces: [${shop}], releases: [annotated-*], approvedBy: { annotation: true } }
  - { name: upgrades, commands: [upgrade_agent], signedBy: { roles: [ops] }, images: ["registry.example.com/*"], agentVersions: ">=1.4.0" }
  - name: production
    namespaces: [${shop}]
    commands: [deploy]
    signedBy: { roles: [deploy] }
    charts: ["${origin}/*", "upload:*"]
    requireDigest: true
    images: ["registry.example.com/*"]
    objectNamespaces: [release]
    deniedKinds: ["*.rbac.authorization.k8s.io"]
    lookup: release
default: deny
`;

const configMap = (text: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\ndata: { text: ${text} }\n`;

interface Attacked {
  plane: ControlPlane;
  cluster: KubeCluster;
  shop: string;
  /** The namespace of the agent. */
  own: string;
  /** URL of a server of charts, and the archives that it has now. */
  origin: string;
  archives: Map<string, Buffer>;
  lines: string[];
}

async function attacked(t: ExecutionContext): Promise<Attacked> {
  t.timeout(10 * minutes);
  const folder = await mkdtemp(join(tmpdir(), 'red-team-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const cluster = connectCluster({ text: kubeconfigText() });
  t.teardown(() => cluster.close());
  const [own, shop] = [freeNamespace(t, cluster), freeNamespace(t, cluster)];
  for (const name of [own, shop]) await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const archives = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const archive = archives.get(request.url ?? '');
    if (archive === undefined) response.writeHead(404).end();
    else response.end(archive);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  const policyFile = join(folder, 'policy.yaml');
  await writeFile(policyFile, policyOf(shop, origin));
  const config = load(kubeconfigText()) as { contexts: { context: object }[] }; // a kubeconfig
  const contexts = config.contexts.map((entry) => ({ ...entry, context: { ...entry.context, namespace: own } }));
  const plane = new ControlPlane();
  const { log, lines } = recordingLog();
  const agent = await agentOf({
    ...{ agentId, log, policyFile, journal: 'cluster', localCharts: folder },
    cluster: { text: JSON.stringify({ ...config, contexts }) },
    controlPlaneUrl: `ws://127.0.0.1:${await plane.listen(0)}`,
  });
  t.teardown(async () => {
    await agent.stop();
    await plane.close();
  });
  await plane.waitForAgent(agentId, AbortSignal.timeout(minutes));
  return { plane, cluster, shop, own, origin, archives, lines };
}

/** Returns the objects of a namespace with their versions, without those of Kubernetes. */
async function stateOf({ cluster, shop }: Attacked): Promise<string[]> {
  const kinds = [
    ['v1', 'ConfigMap'],
    ['v1', 'Secret'],
    ['v1', 'Pod'],
    ['batch/v1', 'Job'],
    ['apps/v1', 'Deployment'],
    ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
  ];
  const lists = await Promise.all(
    kinds.map(([apiVersion = '', kind = '']) => cluster.list({ apiVersion, kind, namespace: shop })),
  );
  return lists.flat().map(({ kind, metadata }) => `${kind}/${metadata.name}@${metadata.resourceVersion ?? ''}`);
}

/** Waits for the refusal of a command, with nothing changed and the reason in the log. */
async function refused(t: ExecutionContext, world: Attacked, command: SentCommand, code: string, reason: RegExp) {
  const before = await stateOf(world);
  const failure = await failureOf(command);
  t.is(failure.code, code, failure.message);
  t.regex(failure.message, reason);
  t.deepEqual(await stateOf(world), before, 'nothing changes');
  await eventually(`the log says why ${command.key} was refused`, () =>
    world.lines.some((line) => {
      const logged = JSON.parse(line) as { key?: string; code?: string; reason?: string };
      return logged.key === command.key && logged.code === code && (logged.reason ?? '') !== '';
    }),
  );
}

interface Command {
  key: string;
  type: 'install_release' | 'upgrade_release' | 'uninstall_release' | 'upgrade_agent' | 'exec_pod';
  payload: string;
}

async function signed(one: Command, signer: LocalSigner = ci, given: Partial<SignOptions> & { agent?: string } = {}) {
  const { agent = agentId, now = Date.now(), lifetimeMs = hour } = given;
  return { ...one, envelope: await signCommand({ agentId: agent, ...one }, [signer], { now, lifetimeMs }) };
}

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('a control plane in the hands of an attacker changes nothing', async (t) => {
  const world = await attacked(t);
  const { plane, cluster, shop, origin, archives } = world;
  const good = await packedApp({ 'a.yaml': configMap('good') });
  const evil = await packedApp({ 'a.yaml': configMap('evil') });
  const chartName = `${origin}/app-1.0.0.tgz`;
  archives.set('/app-1.0.0.tgz', good);
  const release = { namespace: shop, releaseName: 'web', createNamespace: false };
  const install = (key: string, more: object = {}): Command => ({
    key,
    type: 'install_release',
    payload: JSON.stringify({ ...release, chartName, chartDigest: digestOf(good), ...more }),
  });
  const send = (one: Command & { envelope?: string }) => plane.send(agentId, one);
  const attack = (one: Command & { envelope?: string }, code: string, reason: RegExp) =>
    refused(t, world, send(one), code, reason);

  await attack(install('unsigned'), 'signature_required', /rule production of the policy requires a signature/);
  await attack(await signed(install('own-key'), newSigner()), 'signature_required', /none of them/);
  await attack(await signed(install('wrong-role'), alice), 'signature_required', /none of them/);
  const other = install('x', { chartDigest: digestOf(evil) }).payload;
  await attack({ ...(await signed(install('altered'))), payload: other }, 'signature_invalid', /another payload/);
  await attack(await signed(install('sent-elsewhere'), ci, { agent: 'edge-2' }), 'signature_invalid', /another agent/);
  await attack({ ...(await signed(install('a'))), key: 'renamed' }, 'signature_invalid', /another key/);
  const old = { now: Date.now() - 3 * hour };
  await attack(await signed(install('kept-back'), ci, old), 'signature_expired', /has expired/);
  const uninstall = (key: string, fields: object = {}): Command => ({
    ...{ key, type: 'uninstall_release', payload: JSON.stringify({ namespace: shop, releaseName: 'web', ...fields }) },
  });
  const retyped = { ...(await signed(install('retyped'))), type: 'uninstall_release' as const };
  await attack(retyped, 'signature_invalid', /another type/);

  // within its signature, and outside of the policy
  await attack(await signed(install('out', { namespace: 'default' })), 'denied_by_policy', /no rule of the policy/);
  await attack(await signed(install('late', { releaseName: 'closed-a' })), 'denied_by_policy', /windows: /);
  const foreign = { chartName: 'https://elsewhere.example.com/app-1.0.0.tgz' };
  await attack(await signed(install('foreign', foreign)), 'denied_by_policy', /rule production .*charts: /);
  const unpinned = { ...install('unpinned'), payload: JSON.stringify({ ...release, chartName }) };
  await attack(await signed(unpinned), 'denied_by_policy', /requireDigest/);
  const upgrade = { imageRepository: 'evil.example.com/agent', imageTag: '1.5.0' };
  const replaced: Command = { key: 'own-image', type: 'upgrade_agent', payload: JSON.stringify(upgrade) };
  await attack(await signed(replaced, alice), 'denied_by_policy', /rule upgrades .*images: "evil/);
  const version = (imageTag: string) => JSON.stringify({ imageRepository: 'registry.example.com/agent', imageTag });
  const older: Command = { key: 'old-agent', type: 'upgrade_agent', payload: version('1.3.9') };
  await attack(await signed(older, alice), 'denied_by_policy', /rule upgrades .*agentVersions: /);
  const shell: Command = {
    key: 'shell',
    type: 'exec_pod',
    payload: JSON.stringify({ namespace: shop, name: 'a', command: ['sh'] }),
  };
  const opened = await failureOf(send(await signed(shell)));
  t.is(opened.code, 'forbidden', 'exec is not among the rights of the agent');

  // a chart that is swapped under the same version
  const swapped = await signed(install('swapped', { releaseName: 'swapped' }));
  archives.set('/app-1.0.0.tgz', evil);
  const before = await stateOf(world);
  t.is((await failureOf(send(swapped))).code, 'digest_mismatch');
  t.deepEqual(await stateOf(world), before);
  archives.set('/app-1.0.0.tgz', good);

  // a signed command is performed, once, in its order
  const start = Date.now() - 30_000;
  const delayed = await signed(uninstall('delayed'), ci, { now: start });
  const genuine = await signed(install('genuine'), ci, { now: start + 20_000 });
  await answerOf(send(genuine));
  t.like(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: shop, name: 'web' }), {
    data: { text: 'good' },
  });
  await attack(delayed, 'signature_replayed', /came before it/);
  await attack({ ...genuine, key: 'again' }, 'signature_invalid', /another key/);
  const { releases } = await answerOf(plane.history(agentId, { namespace: shop, releaseName: 'web' }));
  t.is(releases.length, 1);
});

test('a malicious chart stays within the policy, also with a signature', async (t) => {
  const world = await attacked(t);
  const { plane, shop, own, cluster } = world;
  const job = (image: string, hook: string) => `apiVersion: batch/v1
kind: Job
metadata: { name: hook, annotations: { helm.sh/hook: ${hook} } }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: a, image: ${image} }] } } }
`;
  const binding = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: ${shop} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: default, namespace: ${shop} }]
`;
  const attacks: [string, string, RegExp, string?][] = [
    ['image', job('evil.example.com/a', 'pre-install'), /images: "evil\.example\.com\/a" of Job hook/],
    ['late-hook', job('evil.example.com/a', 'pre-delete'), /images: /],
    ['binding', binding, /deniedKinds: ClusterRoleBinding/],
    ['elsewhere', configMap('x').replace('name: web', 'name: web, namespace: kube-system'), /objectNamespaces: /],
    ['agent', configMap('x').replace('name: web', `name: web, namespace: ${own}`), /objectNamespaces: /],
    [
      'lookup',
      `# {{ (lookup "v1" "Secret" "${own}" "").items | toJson }}\n${configMap('x')}`,
      /lookup|namespace/,
      'forbidden',
    ],
  ];
  for (const [name, template, reason, otherCode] of attacks) {
    const chartArchive = (await packedApp({ 'a.yaml': template })).toString('base64');
    const fields = { namespace: shop, releaseName: name, createNamespace: false, chartName: 'app', chartArchive };
    const one = await signed({ key: `chart-${name}`, type: 'install_release', payload: JSON.stringify(fields) });
    const before = await stateOf(world);
    const failure = await failureOf(plane.send(agentId, one));
    t.true(['denied_by_policy', otherCode].includes(failure.code), `${name}: ${failure.code}: ${failure.message}`);
    t.regex(failure.message, reason);
    t.deepEqual(await stateOf(world), before, name);
  }
  const found = await cluster.get({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    name: shop,
  });
  t.is(found, undefined);
});

const run = promisify(execFile);

test('only what was approved is applied, and a tenant cannot approve', async (t) => {
  const world = await attacked(t);
  const { plane, cluster, shop, own } = world;
  const chartArchive = (await packedApp({ 'a.yaml': configMap('"{{ .Values.text }}"') })).toString('base64');
  const planOf = async (releaseName: string, text: string) => {
    const fields = { action: 'install', namespace: shop, releaseName, chartName: 'app', chartArchive } as const;
    const planned = plane.plan(agentId, { ...fields, createNamespace: false, values: `text: ${text}` });
    const { digest, secret = '' } = await answerOf(planned);
    return { plan: `${shop}/${releaseName}@${digest}`, digest, secret };
  };
  const approvalOf = (plan: string, signer: LocalSigner, agent = agentId) =>
    signApproval([{ agentId: agent, plan }], [signer], { now: Date.now(), lifetimeMs: hour });
  const [harmless, evil] = [await planOf('approved-a', 'good'), await planOf('approved-a', 'evil')];
  const apply = ({ plan }: { plan: string }) => plane.applyPlan(agentId, { plan });
  const approve = ({ plan }: { plan: string }, approval: string) => plane.approvePlan(agentId, { plan, approval });

  await refused(t, world, apply(harmless), 'approval_required', /rule approved .*it has none of them/);
  const direct = { namespace: shop, releaseName: 'approved-a', chartName: 'app', chartArchive };
  await refused(t, world, plane.install(agentId, direct), 'approval_required', /only by plans/);
  const byAlice = await approvalOf(harmless.plan, alice);
  await refused(t, world, approve(evil, byAlice), 'signature_invalid', /is for other plans/);
  const ofOther = await approvalOf(evil.plan, alice, 'edge-2');
  await refused(t, world, approve(evil, ofOther), 'signature_invalid', /plans of other agents/);
  const forged = await approvalOf(evil.plan, newSigner());
  await refused(t, world, approve(evil, forged), 'signature_required', /not signed by a key of the policy/);
  await answerOf(approve(harmless, byAlice));
  await refused(t, world, apply(evil), 'approval_required', /it has none of them/);
  t.deepEqual((await answerOf(apply(harmless))).approvedBy, ['alice']);
  const map = { apiVersion: 'v1', kind: 'ConfigMap', namespace: shop, name: 'web' };
  t.like(await cluster.get(map), { data: { text: 'good' } });
  t.is((await failureOf(apply(harmless))).code, 'plan_not_found', 'an approval is for one time');
  t.is((await failureOf(apply(evil))).code, 'approval_required');

  // kubectl annotate, by the owner and by a tenant who may do all in one namespace
  await cluster.delete(map);
  const { plan, digest, secret } = await planOf('annotated-a', 'other');
  const [, name = ''] = secret.split('/');
  const file = join(await mkdtemp(join(tmpdir(), 'red-team-kubectl-')), 'kubeconfig');
  t.teardown(() => rm(join(file, '..'), { recursive: true }));
  await writeFile(file, kubeconfigText());
  const account = `system:serviceaccount:${shop}:default`;
  const rbac = 'rbac.authorization.k8s.io';
  await cluster.create({
    ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: 'tenant', namespace: shop } },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: shop }],
  });
  const annotate = (text: string, ...flags: string[]) =>
    run('kubectl', [
      ...['--kubeconfig', file, 'annotate', 'secret', '-n', own, name, `helm-agent/approved=${text}`, '--overwrite'],
      ...flags,
    ]);
  const forbidden = await t.throwsAsync(annotate(digest, `--as=${account}`));
  t.regex(forbidden.message, /forbidden/i);
  await refused(t, world, apply({ plan }), 'approval_required', /by the annotation of its Secret/);
  await annotate('yes');
  await refused(t, world, apply({ plan }), 'approval_required', /it has none of them/);
  await annotate(digest);
  t.deepEqual((await answerOf(apply({ plan }))).approvedBy, ['the annotation']);
  t.like(await cluster.get(map), { data: { text: 'other' } });
});

test('an approval of a plan that is out of date is withdrawn', async (t) => {
  const world = await attacked(t);
  const { plane, cluster, shop } = world;
  const chartArchive = (await packedApp({ 'a.yaml': configMap('"{{ .Values.text }}"') })).toString('base64');
  const fields = { namespace: shop, releaseName: 'approved-a', chartName: 'app', chartArchive, createNamespace: false };
  const approved = async (action: 'install' | 'upgrade', text: string) => {
    const { digest } = await answerOf(plane.plan(agentId, { action, ...fields, values: `text: ${text}` }));
    const plan = `${shop}/approved-a@${digest}`;
    const approval = await signApproval([{ agentId, plan }], [alice], { now: Date.now(), lifetimeMs: hour });
    await answerOf(plane.approvePlan(agentId, { plan, approval }));
    return plan;
  };
  await answerOf(plane.applyPlan(agentId, { plan: await approved('install', 'one') }));
  const plan = await approved('upgrade', 'two');
  const map = { apiVersion: 'v1', kind: 'ConfigMap', namespace: shop, name: 'web' };
  const write = (text: string) => cluster.mergePatch(map, { data: { text } }, { fieldManager: 'helm' });
  await write('changed');
  t.is((await failureOf(plane.applyPlan(agentId, { plan }))).code, 'plan_stale');
  await write('one');
  t.is((await failureOf(plane.applyPlan(agentId, { plan }))).code, 'plan_not_found');
  t.like(await cluster.get(map), { data: { text: 'one' } });
});
