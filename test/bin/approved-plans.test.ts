import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { SentCommand } from '../../src/control-plane/index.ts';
import { signApproval } from '../../src/signatures/approval-statement.ts';
import { sshLineOf } from '../../src/signatures/public-key.ts';
import type { LocalSigner } from '../../src/signatures/signer.ts';
import { newSigner } from '../signatures/support/keys.ts';
import { eventually } from '../support/eventually.ts';
import { crashWorld, kill } from './support/crash-world.ts';
import { type FaultyWorld, faultyWorld } from './support/faulty-world.ts';
import { agentId, answerOf, failureOf } from './support/world.ts';

// The control plane of these tests is in the hands of an attacker, with all that it stores. It does
// not have the keys of those who approve.

const alice = newSigner();
const bob = newSigner();
const hour = 3_600_000;

const policyText = (approvedBy: string) => `keys:
  - { name: alice, publicKey: "${sshLineOf(alice.publicKey)}", roles: [ops] }
  - { name: bob, publicKey: "${sshLineOf(bob.publicKey)}", roles: [ops] }
rules:
  - { name: reading, commands: [read] }
  - { name: production, namespaces: [shop], approvedBy: ${approvedBy} }
default: deny
`;

const manifest = `apiVersion: v1
kind: ConfigMap
metadata: { name: web }
data: { value: {{ .Values.value | default "none" | quote }} }
`;

interface ApprovedWorld extends FaultyWorld {
  policyFile: string;
}

async function approvedWorld(t: ExecutionContext, approvedBy = '{ roles: [ops] }'): Promise<ApprovedWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'approved-world-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const policyFile = join(folder, 'policy.yaml');
  writeFileSync(policyFile, policyText(approvedBy));
  const world = await faultyWorld(t, {
    random: () => 0.5,
    setup: { policyFile },
    writeCharts(target) {
      mkdirSync(join(target, 'app', 'templates'), { recursive: true });
      writeFileSync(join(target, 'app', 'Chart.yaml'), 'apiVersion: v2\nname: app\nversion: 1.0.0\n');
      writeFileSync(join(target, 'app', 'templates', 'a.yaml'), manifest);
      return Promise.resolve();
    },
  });
  await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  return { ...world, policyFile };
}

const release = { namespace: 'shop', releaseName: 'web' };
const install = (value: string) => ({ ...release, chartName: 'app', values: `value: ${value}` });
const planOf = async ({ plane }: Pick<FaultyWorld, 'plane'>, value: string) => {
  const { digest } = await answerOf(plane.plan(agentId, { action: 'install', ...install(value) }));
  return `shop/web@${digest}`;
};
const approvalOf = (plan: string, signer: LocalSigner, { agent = agentId, now = Date.now() } = {}) =>
  signApproval([{ agentId: agent, plan }], [signer], { now, lifetimeMs: hour });

const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'web' };

/** Returns the requests that change something outside of the namespace of the agent. */
const changesOf = ({ api }: FaultyWorld) =>
  api.requests.filter((line) => /^(?:POST|PUT|PATCH|DELETE) /.test(line) && !line.includes('/namespaces/default/'));

/** Waits for a refusal with nothing changed and the reason in the log. */
async function refused(t: ExecutionContext, world: FaultyWorld, command: SentCommand, code: string, message: RegExp) {
  const before = changesOf(world).filter((line) => !line.includes('dryRun'));
  const failure = await failureOf(command);
  t.is(failure.code, code, failure.message);
  t.regex(failure.message, message);
  const after = changesOf(world).filter((line) => !line.includes('dryRun'));
  t.deepEqual(after.slice(before.length), [], 'nothing changes');
  await eventually(`the log says why ${command.type} was refused`, () =>
    world.lines.some((line) => {
      const logged = JSON.parse(line) as { key?: string; code?: string; reason?: string };
      return logged.key === command.key && logged.code === code && message.test(logged.reason ?? '');
    }),
  );
}

test('a plan is performed once it is approved, and answer and log say by whom', async (t) => {
  const world = await approvedWorld(t);
  const { plane, cluster, lines } = world;
  const plan = await planOf(world, 'good');
  const apply = () => plane.applyPlan(agentId, { plan });
  await refused(t, world, apply(), 'approval_required', /an approval with the role ops for the plan .*none of them/);

  const approval = await approvalOf(plan, alice);
  const { approvals } = await answerOf(plane.approvePlan(agentId, { plan, approval }));
  t.deepEqual(approvals[0]?.by, ['alice']);
  const shown = await answerOf(plane.getPlan(agentId, { plan: plan.slice(0, 'shop/web@'.length + 12) }));
  t.like(shown, { action: 'install', approvals: { 0: { by: ['alice'] } } });
  t.regex(shown.secret ?? '', /^default\/helm-agent\.plan\./);

  t.deepEqual((await answerOf(apply())).approvedBy, ['alice']);
  t.like(await cluster.get(object), { data: { value: 'good' } });
  const logged = lines.map((line) => JSON.parse(line) as { msg: string; approvedBy?: string[]; rule?: string });
  t.like(
    logged.find(({ msg }) => msg === 'the plan is approved'),
    { approvedBy: ['alice'], rule: 'production', plan },
  );
  t.is((await failureOf(apply())).code, 'plan_not_found', 'it was performed');
});

test('a rule with approvals refuses changes without a plan', async (t) => {
  const world = await approvedWorld(t);
  const { plane } = world;
  const only = /rule production of the policy .*only by plans/;
  await refused(t, world, plane.install(agentId, install('evil')), 'approval_required', only);
  await refused(t, world, plane.uninstall(agentId, release), 'approval_required', only);
  const manifests = { ...release, manifests: manifest };
  await refused(t, world, plane.applyManifests(agentId, manifests), 'approval_required', only);
});

test('an approval of a harmless plan is none of another one', async (t) => {
  const world = await approvedWorld(t);
  const { plane } = world;
  const [harmless, evil] = [await planOf(world, 'good'), await planOf(world, 'evil')];
  const approval = await approvalOf(harmless, alice);
  await answerOf(plane.approvePlan(agentId, { plan: harmless, approval }));
  const forged = plane.approvePlan(agentId, { plan: evil, approval });
  await refused(t, world, forged, 'signature_invalid', /is for other plans/);
  await refused(t, world, plane.applyPlan(agentId, { plan: evil }), 'approval_required', /none of them/);
});

test('forged approvals are not kept', async (t) => {
  const world = await approvedWorld(t);
  const { plane } = world;
  const plan = await planOf(world, 'evil');
  const attacks: [string, string, RegExp][] = [
    [await approvalOf(plan, newSigner()), 'signature_required', /not signed by a key of the policy/],
    [await approvalOf(plan, alice, { agent: 'edge-2' }), 'signature_invalid', /plans of other agents/],
    [await approvalOf(plan, alice, { now: Date.now() - 3 * hour }), 'signature_expired', /has expired/],
    [(await approvalOf(plan, alice)).replace('"sig":"', '"sig":"AAAA'), 'signature_invalid', /signatures\.0\.sig/],
    ['{}', 'signature_invalid', /is not one of DSSE/],
  ];
  for (const [approval, code, message] of attacks) {
    await refused(t, world, plane.approvePlan(agentId, { plan, approval }), code, message);
  }
  t.deepEqual((await answerOf(plane.getPlan(agentId, { plan }))).approvals, []);
  await refused(t, world, plane.applyPlan(agentId, { plan }), 'approval_required', /none of them/);
});

test('an approval does not count for the same change at another time', async (t) => {
  const world = await approvedWorld(t);
  const { plane } = world;
  const plan = await planOf(world, 'good');
  const approval = await approvalOf(plan, alice);
  await answerOf(plane.approvePlan(agentId, { plan, approval }));
  await answerOf(plane.applyPlan(agentId, { plan }));
  const { digest } = await answerOf(plane.plan(agentId, { action: 'rollback', ...release, version: 1 }));
  const next = `shop/web@${digest}`;
  const replayed = plane.approvePlan(agentId, { plan: next, approval });
  await refused(t, world, replayed, 'signature_invalid', /is for other plans/);
});

test('the approval of a plan that is out of date is withdrawn, also if the cluster is as before again', async (t) => {
  const world = await approvedWorld(t);
  const { plane, cluster } = world;
  const plan = await planOf(world, 'good');
  await answerOf(plane.approvePlan(agentId, { plan, approval: await approvalOf(plan, alice) }));
  await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'shop' } });
  const apply = () => plane.applyPlan(agentId, { plan });
  const code = (await failureOf(apply())).code;
  t.true(['plan_stale', 'ownership_conflict'].includes(code), code);
  await cluster.delete(object);
  if (code === 'plan_stale') t.is((await failureOf(apply())).code, 'plan_not_found');
});

test('two approvals are those of two holders', async (t) => {
  const world = await approvedWorld(t, '{ roles: [ops], count: 2 }');
  const { plane } = world;
  const plan = await planOf(world, 'good');
  const approve = async (signer: LocalSigner, now?: number) =>
    answerOf(plane.approvePlan(agentId, { plan, approval: await approvalOf(plan, signer, { now }) }));
  await approve(alice);
  await approve(alice, Date.now() - 1000);
  await refused(t, world, plane.applyPlan(agentId, { plan }), 'approval_required', /only that of alice/);
  await approve(bob);
  t.deepEqual((await answerOf(plane.applyPlan(agentId, { plan }))).approvedBy, ['alice', 'bob']);
});

test('who may change the Secrets of the agent approves by an annotation, and a command cannot', async (t) => {
  const world = await approvedWorld(t, '{ annotation: true }');
  const { plane, cluster, policyFile } = world;
  const plan = await planOf(world, 'good');
  const [, digest = ''] = plan.split('@');
  const { secret = '' } = await answerOf(plane.getPlan(agentId, { plan }));
  const [namespace = '', name = ''] = secret.split('/');
  const annotate = async (text: string) => {
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name };
    await cluster.mergePatch(
      ref,
      { metadata: { annotations: { 'helm-agent/approved': text } } },
      { fieldManager: 'x' },
    );
  };

  writeFileSync(policyFile, 'rules: []\ndefault: allow\n');
  const metadata = { name, namespace, annotations: { 'helm-agent/approved': digest } };
  const manifests = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata });
  const set = { ...release, manifests };
  t.is((await failureOf(plane.applyManifests(agentId, set))).code, 'forbidden');
  writeFileSync(policyFile, policyText('{ annotation: true }'));

  await annotate('true');
  await refused(t, world, plane.applyPlan(agentId, { plan }), 'approval_required', /by the annotation of its Secret/);
  await annotate(digest);
  t.like(await answerOf(plane.getPlan(agentId, { plan })), { annotated: true });
  t.deepEqual((await answerOf(plane.applyPlan(agentId, { plan }))).approvedBy, ['the annotation']);
});

test('an approved plan whose record was changed is not performed', async (t) => {
  const world = await approvedWorld(t);
  const { plane, cluster } = world;
  const [good, evil] = [await planOf(world, 'good'), await planOf(world, 'evil')];
  await answerOf(plane.approvePlan(agentId, { plan: good, approval: await approvalOf(good, alice) }));
  const secretOf = async (plan: string) => {
    const { secret = '' } = await answerOf(plane.getPlan(agentId, { plan }));
    const [namespace = '', name = ''] = secret.split('/');
    return { apiVersion: 'v1', kind: 'Secret', namespace, name };
  };
  const [target, source] = [await secretOf(good), await cluster.get(await secretOf(evil))];
  await cluster.mergePatch(target, { data: source?.['data'] }, { fieldManager: 'x' });
  t.is((await failureOf(plane.applyPlan(agentId, { plan: good }))).code, 'plan_not_found');
  t.is(await cluster.get(object), undefined);
});

test('approvals outlive the agent, and one by a key that the owner has removed does not count', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'approved-restart-'));
  const policyFile = join(folder, 'policy.yaml');
  const text = policyText('{ roles: [ops] }');
  writeFileSync(policyFile, text);
  const world = await crashWorld({ args: ['--policy-file', policyFile] });
  t.teardown(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });
  const { plane } = world;
  const first = await world.start();
  const fields = { action: 'install', ...release, chartName: 'web', createNamespace: true } as const;
  const { digest } = await answerOf(plane.plan(agentId, fields));
  const plan = `shop/web@${digest}`;
  await answerOf(plane.approvePlan(agentId, { plan, approval: await approvalOf(plan, alice) }));
  await kill(world, first);
  await world.start();
  writeFileSync(policyFile, text.replace(sshLineOf(alice.publicKey), sshLineOf(newSigner().publicKey)));
  t.is((await failureOf(plane.applyPlan(agentId, { plan }))).code, 'approval_required');
  writeFileSync(policyFile, text);
  t.deepEqual((await answerOf(plane.applyPlan(agentId, { plan }))).approvedBy, ['alice']);
});
