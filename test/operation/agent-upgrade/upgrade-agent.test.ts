import type { ExecutionContext } from 'ava';
import type { Access } from '../../../src/objects/access.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import type { ServiceAccount } from '../../../src/objects/service-account.ts';
import { guard } from '../../../src/operation/agent-upgrade/guard.ts';
import { guardedRelease } from '../../../src/operation/agent-upgrade/guarded-release.ts';
import type { OwnPod } from '../../../src/operation/agent-upgrade/own-agent.ts';
import { type Trial, trialName, trialSecret } from '../../../src/operation/agent-upgrade/trial.ts';
import { operation } from '../../../src/operation/agent-upgrade/upgrade-agent.ts';
import type { PerformContext } from '../../../src/operation/command-operation.ts';
import { memoryPlans } from '../../../src/operation/plan/plans.ts';
import { createTracker } from '../../../src/operation/tracker/tracker.ts';
import { eventually } from '../../support/eventually.ts';
import { realHost } from '../../support/host.ts';
import { type TextChart, textChart } from '../text-renderer.ts';
import { newWorld, sandboxTest, type World } from '../world.ts';
import { firstTrial } from './simulated-agent.ts';

const test = sandboxTest();
const agentId = 'edge-1';

function agentChart(image: string, { name = 'agent', more = '' } = {}): TextChart {
  return textChart({
    'agent.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      serviceAccountName: agent
      nodeSelector: { disk: fast }
      containers:
        - { name: helm-agent, image: '${image}', envFrom: [{ configMapRef: { name: settings } }], ports: [{ containerPort: 8081 }] }
`,
    'account.yaml': `apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: agent }\n${more}`,
  });
}

interface Installed {
  world: World;
  own: OwnPod;
  /** Performs the command, with a chart that the payload names. */
  perform: (payload: object, context?: Partial<PerformContext>) => ReturnType<typeof operation.perform>;
  context: PerformContext;
}

const without = 'the way back needs';

/** Installs an agent of the first chart in the sandbox. It is upgraded to the second one. */
async function installed(t: ExecutionContext<never>, first: TextChart, second = first): Promise<Installed> {
  const world = newWorld(t, first, second); // the context of the file
  const { namespace, cluster } = world;
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await world.install(first, { wait: false });
  const pods = { apiVersion: 'v1', kind: 'Pod', namespace };
  await eventually('the pod exists', async () => (await cluster.list(pods)).length === 1);
  const [pod] = await cluster.list(pods);
  const tracker = createTracker(cluster);
  t.teardown(() => tracker.close());
  const plain = world.context({ id: 'k1' });
  const own: OwnPod = {
    ...{ agentId, namespace, name: pod?.metadata.name ?? '', lease: 'lease', storageDriver: 'secret' },
    ...{ trustReleases: 'any', cluster, storage: plain.storage, tracker },
    access: { missing: () => Promise.resolve([]) },
  };
  const context: PerformContext = {
    ...plain,
    plans: memoryPlans(realHost),
    chartAt: () => () => Promise.resolve(second.chart),
    tillerRecords: () => t.fail(),
    ownPod: own,
  };
  const perform: Installed['perform'] = (payload, more) => operation.perform(payload, { ...context, ...more });
  return { world, own, perform, context };
}

/** Does what the Job of the guardian does. The new version works as `isReady` says. */
async function guardIt({ own, context }: Installed, isReady: boolean): Promise<string> {
  let time = Date.now();
  const store = trialSecret(own.cluster, own.namespace, agentId);
  await eventually('the guardian exists', async () => {
    const job = await own.cluster.get({
      ...{ apiVersion: 'batch/v1', kind: 'Job', namespace: own.namespace, name: trialName(agentId) },
    });
    return job !== undefined;
  });
  const release = guardedRelease({ ...context, cluster: own.cluster, storage: own.storage });
  const leader = { run: 'r', pod: 'agent-2', image: 'agent:2', isReady };
  const guarded = {
    ...{ ...release, store, signal: context.signal, now: () => time, onProblem: () => undefined },
    look: () => Promise.resolve({ isRolledOut: true, leader }),
    pause(milliseconds: number) {
      time += milliseconds;
      return Promise.resolve();
    },
  };
  return await guard(guarded, 'guardian');
}

test('the agent is upgraded to a chart, and the answer names the pod that leads', async (t) => {
  const agent = await installed(t as never, agentChart('agent:1'), agentChart('agent:2'));
  const [answer, ended] = await Promise.all([agent.perform({ chartName: 'web' }), guardIt(agent, true)]);
  t.is(ended, 'ended');
  t.deepEqual(answer, { from: 1, revision: 2, image: 'agent:2', pod: 'agent-2' });
  t.deepEqual(await agent.world.history(), ['1:superseded', '2:deployed']);
  t.like(await agent.world.find('Deployment', 'agent'), {
    spec: { template: { spec: { containers: { 0: { image: 'agent:2' } } } } },
  });
});

test('the version before is deployed again if the new one does not prove itself', async (t) => {
  const agent = await installed(t as never, agentChart('agent:1'), agentChart('agent:2'));
  const failing = t.throwsAsync(agent.perform({ chartName: 'web' }), {
    code: 'agent_upgrade_failed',
    message: /back at revision 1, deployed as 3, .* has not proved itself within 60 s/,
  });
  await Promise.all([failing, guardIt(agent, false)]);
  t.deepEqual(await agent.world.history(), ['1:superseded', '2:superseded', '3:deployed']);
  t.like(await agent.world.find('Deployment', 'agent'), {
    spec: { template: { spec: { containers: { 0: { image: 'agent:1' } } } } },
  });
});

test('a process that continues the command waits for the same trial, and plans nothing again', async (t) => {
  const agent = await installed(t as never, agentChart('agent:1'), agentChart('agent:2'));
  const abandonment = new AbortController();
  const parked = t.throwsAsync(agent.perform({ chartName: 'web' }, { abandon: abandonment.signal }), {
    message: 'parked',
  });
  await guardIt(agent, true);
  abandonment.abort(new Error('parked'));
  const answer = await agent.perform({ chartName: 'web' });
  t.is(answer.revision, 2);
  await Promise.race([parked, Promise.resolve()]);
  t.deepEqual(await agent.world.history(), ['1:superseded', '2:deployed']);
});

/** Returns the message of an upgrade whose trial has ended with these fields. */
async function messageOfEnded(t: ExecutionContext, fields: Partial<Trial>): Promise<string> {
  const agent = await installed(t as never, agentChart('agent:1'), agentChart('agent:2'));
  const { cluster, namespace } = agent.own;
  const trial: Trial = {
    ...firstTrial,
    ...{ namespace, releaseName: 'web', phase: 'ended', from: 1, id: agent.context.id ?? '' },
    ...fields,
  };
  await trialSecret(cluster, namespace, agentId).write(trial, undefined);
  const error = await t.throwsAsync(agent.perform({ chartName: 'web' }), { code: trial.failure?.code ?? '' });
  return error.message;
}

test('the error says which version is deployed if the version before could not be deployed again', async (t) => {
  const message = await messageOfEnded(t, {
    ...{ revision: 2, failure: { code: 'agent_upgrade_failed', message: 'not connected' } },
    stuck: 'denied by a webhook',
  });
  t.regex(message, /^revision 2 of the agent is deployed, and does not work: not connected; /);
  t.regex(
    message,
    /again: denied by a webhook; roll the release web in the namespace .* back to revision 1 with helm$/,
  );
});

test('the error says so too if the upgrade itself has failed', async (t) => {
  const message = await messageOfEnded(t, {
    ...{ failure: { code: 'invalid', message: 'the Role is invalid' }, stuck: 'roles is forbidden' },
  });
  t.regex(message, /^the upgrade of the agent has failed: the Role is invalid; the version before could not be /);
  t.regex(message, /again: roles is forbidden; roll the release web in the namespace .* back to revision 1 with helm$/);
});

test('the error is that of the upgrade if nothing had to be deployed again', async (t) => {
  const failure = { code: 'invalid', message: 'the Role is invalid' };
  t.is(await messageOfEnded(t, { revision: 1, failure }), failure.message);
  t.is(await messageOfEnded(t, { failure }), failure.message, 'it has not begun');
});

test('the guardian has the image and the account of the agent, and none of its settings and volumes', async (t) => {
  const agent = await installed(t as never, agentChart('agent:1'), agentChart('agent:2'));
  await Promise.all([agent.perform({ chartName: 'web' }), guardIt(agent, true)]);
  const job = (await agent.world.find('Job', trialName(agentId))) as KubeObject & {
    spec: { template: { spec: { containers: object[] } } };
  };
  t.like(job.spec.template.spec, { serviceAccountName: 'agent', nodeSelector: { disk: 'fast' } });
  const [container] = job.spec.template.spec.containers;
  t.like(container, { image: 'agent:1' });
  t.false('envFrom' in (container ?? {}));
  t.false('ports' in (container ?? {}));
});

test('a second upgrade is refused while one is in progress', async (t) => {
  const agent = await installed(t as never, agentChart('agent:1'), agentChart('agent:2'));
  const first = agent.perform({ chartName: 'web' });
  await eventually('the first one has begun', async () => {
    return (await trialSecret(agent.own.cluster, agent.own.namespace, agentId).read()) !== undefined;
  });
  await t.throwsAsync(agent.perform({ chartName: 'web' }, { id: 'k2' }), { code: 'pending_operation' });
  await Promise.all([first, guardIt(agent, true)]);
});

test('a guardian that was deleted is started again with the version before', async (t) => {
  const agent = await installed(t as never, agentChart('agent:1'), agentChart('agent:2'));
  const { cluster, namespace } = agent.own;
  const answer = agent.perform({ chartName: 'web' });
  const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace, name: trialName(agentId) };
  await eventually('the guardian exists', async () => (await cluster.get(ref)) !== undefined);
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'agent' };
  const containers = [{ name: 'helm-agent', image: 'agent:broken' }];
  await cluster.strategicMergePatch(deployment, { spec: { template: { spec: { containers } } } });
  const before = await cluster.get(ref);
  await cluster.delete(ref);
  await eventually('there is another one', async () => {
    const job = await cluster.get(ref);
    return job !== undefined && job.metadata.uid !== before?.metadata.uid;
  });
  t.like(await cluster.get(ref), { spec: { template: { spec: { containers: { 0: { image: 'agent:1' } } } } } });
  const ended = t.throwsAsync(answer, { code: 'cancelled', message: /was deleted/ });
  await trialSecret(cluster, namespace, agentId).remove('k1');
  await ended;
});

test('an upgrade right after another one has its own trial, which the end of the other one leaves', async (t) => {
  const agent = await installed(t as never, agentChart('agent:1'), agentChart('agent:2'));
  const ended: (() => Promise<void>)[] = [];
  const whenStored = (work: () => Promise<void>) => void ended.push(work);
  await Promise.all([agent.perform({ chartName: 'web' }, { whenStored }), guardIt(agent, true)]);
  const { cluster, namespace, name: firstPod } = agent.own;
  const pods = { apiVersion: 'v1', kind: 'Pod', namespace };
  let name = firstPod;
  await eventually('the new pod is alone', async () => {
    const [pod, ...others] = await cluster.list(pods);
    name = pod?.metadata.name ?? '';
    return name !== firstPod && others.length === 0;
  });
  const second = agent.perform({ chartName: 'web' }, { id: 'k2', ownPod: { ...agent.own, name } });
  const store = trialSecret(cluster, namespace, agentId);
  await eventually('the second one has begun', async () => (await store.read())?.trial.id === 'k2');
  for (const work of ended) await work();
  t.is((await store.read())?.trial.id, 'k2');
  const [answer] = await Promise.all([second, guardIt(agent, true)]);
  t.like(answer, { from: 2, revision: 3 });
});

test('a cancel before the guardian begins ends the upgrade, and nothing is changed', async (t) => {
  const agent = await installed(t as never, agentChart('agent:1'), agentChart('agent:2'));
  const cancellation = new AbortController();
  const cancelled = t.throwsAsync(agent.perform({ chartName: 'web' }, { signal: cancellation.signal }), {
    code: 'cancelled',
  });
  await eventually('the trial exists', async () => {
    return (await trialSecret(agent.own.cluster, agent.own.namespace, agentId).read()) !== undefined;
  });
  cancellation.abort(new Error('cancelled'));
  await cancelled;
  t.is(await guardIt(agent, true), 'ended');
  t.deepEqual(await agent.world.history(), ['1:deployed']);
});

interface Refusal {
  payload?: object;
  second?: TextChart;
  own?: (own: OwnPod) => Partial<OwnPod>;
  account?: string;
  code: string;
  message: RegExp;
}

const jobs: Access = { verb: 'create', group: 'batch', resource: 'jobs', namespace: 'agents' };

const refusals: Record<string, Refusal> = {
  'a pod that does not exist': {
    own: () => ({ name: 'other' }),
    code: 'agent_not_upgradable',
    message: /no pod other/,
  },
  'missing rights, which it names': {
    own: () => ({ access: { missing: () => Promise.resolve([jobs]) } }),
    code: 'forbidden',
    message: /nothing was changed: create jobs\.batch in the namespace agents; the value selfUpgrade\.enabled/,
  },
  'another account by the rights file': {
    account: 'shop/deployer',
    code: 'forbidden',
    message: /maps this command to shop\/deployer; .* account: op-\w+\/agent$/,
  },
  'a command that asks for nothing': { payload: {}, code: 'bad_payload', message: /give an image/ },
  'a time that is too short to see a connection': {
    payload: { chartName: 'web', settle: 5000 },
    code: 'bad_payload',
    message: /settle: must be at least 20s/,
  },
  'a chart without the Deployment': {
    second: agentChart('agent:2', { name: 'other' }),
    code: 'agent_not_upgradable',
    message: new RegExp(`remove Deployment agent, which ${without}`),
  },
  'a chart without the service account': {
    second: textChart({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n' }),
    code: 'agent_not_upgradable',
    message: new RegExp(without),
  },
  'another chart': {
    second: { ...agentChart('agent:2'), chart: { name: 'shop', version: '1.0.0', files: [], digest: '' } },
    code: 'bad_payload',
    message: /the agent is one of the chart web, not shop/,
  },
};

for (const [title, { payload = { chartName: 'web' }, second, own, account, code, message }] of Object.entries(
  refusals,
)) {
  test(`refuses ${title}, and changes nothing`, async (t) => {
    const agent = await installed(t as never, agentChart('agent:1'), second ?? agentChart('agent:2'));
    const ownPod = { ...agent.own, ...own?.(agent.own) };
    const context = { ownPod, ...(account !== undefined && { account: account as ServiceAccount }) }; // as a rights file names it
    await t.throwsAsync(agent.perform(payload, context), { code, message });
    t.deepEqual(await agent.world.history(), ['1:deployed']);
    t.is(await agent.world.find('Secret', trialName(agentId)), undefined);
    t.is(await agent.world.find('Job', trialName(agentId)), undefined);
  });
}

test('refuses an agent that does not run in a pod', async (t) => {
  const agent = await installed(t as never, agentChart('agent:1'));
  await t.throwsAsync(agent.perform({ chartName: 'web' }, { ownPod: undefined }), { code: 'agent_not_upgradable' });
});

test('refuses an agent that was applied with kubectl', async (t) => {
  const agent = await installed(t as never, agentChart('agent:1'));
  const { cluster, namespace } = agent.own;
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'agent' };
  await cluster.mergePatch(ref, { metadata: { annotations: { 'meta.helm.sh/release-name': null } } });
  await t.throwsAsync(agent.perform({ chartName: 'web' }), {
    code: 'agent_not_upgradable',
    message: /does not belong to a release in its namespace; install the chart with helm/,
  });
});
