import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { connectCluster } from '../../src/kube/cluster.ts';
import { trialName } from '../../src/operation/agent-upgrade/trial.ts';
import { uniqueName } from '../api/environment.ts';
import { buildImages } from './image.ts';
import { kubeconfigText } from './real-cluster.ts';
import { inject, type Injected, type UpgradeFault, upgradeFaults } from './upgrade-faults.ts';
import { type UpgradedAgent, upgradedAgent, type UpgradedAgentOptions } from './upgraded-agent.ts';

const { E2E_IMAGE_BASE: base, E2E_LOAD_IMAGE: loadCommand, E2E_HOST_FROM_POD: host } = process.env;

/** Tag of an image that is a version. */
const newVersion = '27.2.0';

/** Longest time from the command to its result, in seconds. */
const limit = 180;

if (!base || !loadCommand || !host) {
  test.skip('an agent upgrades itself (needs E2E_IMAGE_BASE, E2E_LOAD_IMAGE and E2E_HOST_FROM_POD)', (t) => t.pass());
} else {
  const building = buildImages(base, loadCommand, ['upgrade-1', 'upgrade-2', newVersion]);

  const agentFor = async (t: ExecutionContext, options: Partial<UpgradedAgentOptions> = {}): Promise<UpgradedAgent> => {
    t.timeout(1_200_000, 'upgrades are watched for half a minute each');
    const cluster = connectCluster({ text: kubeconfigText() });
    t.teardown(() => cluster.close());
    const [image = ''] = await building;
    const agent = await upgradedAgent({ cluster, name: uniqueName('e2e-upgrade'), host, image, ...options });
    t.teardown(() => agent.close());
    return agent;
  };

  const isWell = (t: ExecutionContext, fault: UpgradeFault, injected: Injected) => {
    const { result, seconds, outage, other, revisions } = injected;
    t.log(`${fault.title}: ${seconds.toFixed(0)} s, not connected for ${outage.toFixed(0)} s`);
    t.is(result.ok, fault.isGood, `${fault.title}: ${JSON.stringify(result)}`);
    if (!result.ok) t.is(result.error.code, 'agent_upgrade_failed');
    t.true(seconds <= limit, `${fault.title}: ${seconds} s`);
    t.true(other.ok, `${fault.title}: ${JSON.stringify(other)}`);
    t.is(revisions, 1, fault.title);
  };

  for (const isGood of [true, false]) {
    const title = isGood
      ? 'a version that works stays, whatever is killed in between'
      : 'a version that does not work is replaced by the one before';
    test.serial(`${title}, and other commands continue`, async (t) => {
      const agent = await agentFor(t);
      const faults = upgradeFaults.filter((one) => one.isGood === isGood && one.isLong !== true);
      for (const [count, fault] of faults.entries()) {
        isWell(t, fault, await inject(agent, fault, count));
      }
    });
  }

  test.serial('another image is deployed, and the result is kept until the control plane is back', async (t) => {
    const agent = await agentFor(t);
    const [, image] = await building;
    const key = randomUUID();
    const payload = { imageTag: 'upgrade-2', timeout: '5m' }; // a busy machine starts pods late
    agent.plane.upgradeAgent(agent.name, payload, { key });
    await agent.reaches('watching');
    await agent.loseControlPlane(10_000);
    const result = await agent.plane.upgradeAgent(agent.name, payload, { key }).result;
    t.like(result, { ok: true, from: 1, revision: 2, image }, JSON.stringify(result));
  });

  test.serial(
    'an older version and a foreign image are refused, and another version is deployed within the policy',
    async (t) => {
      const limits = `images: ["localhost/helm-agent:*"], agentVersions: ">=27.1.0"`;
      const content = `rules: [{ name: upgrades, commands: [upgrade_agent], ${limits} }]\ndefault: deny\n`;
      const agent = await agentFor(t, { values: { policy: { content } } });
      const foreign = { imageRepository: 'evil.example.com/agent', imageTag: newVersion };
      for (const payload of [{ imageTag: '27.0.9' }, { imageTag: 'upgrade-2' }, foreign]) {
        const result = await agent.plane.upgradeAgent(agent.name, payload).result;
        t.like(result, { ok: false, error: { code: 'denied_by_policy' } }, JSON.stringify(result));
      }
      const [, , image] = await building;
      const result = await agent.plane.upgradeAgent(agent.name, { imageTag: newVersion }).result;
      t.like(result, { ok: true, from: 1, revision: 2, image }, JSON.stringify(result));
    },
  );

  test.serial('two replicas are upgraded, and come back', async (t) => {
    const agent = await agentFor(t, { replicas: 2 });
    const faults = upgradeFaults.filter(({ title }) => ['none', 'crashes after it has connected'].includes(title));
    for (const [count, fault] of faults.entries()) isWell(t, fault, await inject(agent, fault, count));
  });

  test.serial('an agent with rights to its own release alone upgrades that, and without them it refuses', async (t) => {
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }];
    const rights = { mode: 'namespaces', namespaces: ['default'], rules };
    const without = await agentFor(t, { values: { rights } });
    const refused = await without.plane.upgradeAgent(without.name, { imageTag: 'upgrade-2' }).result;
    t.like(refused, { ok: false, error: { code: 'forbidden' } });
    const secrets = { apiVersion: 'v1', kind: 'Secret', namespace: without.name, name: trialName(without.name) };
    t.is(await without.cluster.get(secrets), undefined);

    const agent = await agentFor(t, { values: { rights, selfUpgrade: { enabled: true } } });
    const result = await agent.plane.upgradeAgent(agent.name, { imageTag: 'upgrade-2' }).result;
    t.like(result, { ok: true, revision: 2 }, JSON.stringify(result));
  });
}
