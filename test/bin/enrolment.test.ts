import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { KeyState, KeyStore } from '../../src/agent/key/key-state.ts';
import { agentOf, type AgentSetup } from '../../src/compose/agent-of.ts';
import { keyFile } from '../../src/compose/key-file.ts';
import { keySecret } from '../../src/compose/key-secret.ts';
import { connectCluster } from '../../src/kube/index.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { recordingLog } from '../agent/support/log.ts';
import { temporaryFile } from '../control-plane/support/file.ts';
import { newKey } from '../control-plane/support/keyed-agent.ts';
import { testPlane } from '../control-plane/support/plane.ts';
import { eventually } from '../support/eventually.ts';
import { realHost } from '../support/host.ts';

const agentId = 'edge-1';
const times = { backoff: { baseMs: 20, capMs: 100, stableMs: 60_000 }, deliveryMs: 500, graceMs: 500 };

async function sandboxCluster(t: ExecutionContext) {
  const sandbox = await startSandbox({ host: realHost, scheme: 'http', speed: 20 });
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  t.teardown(async () => {
    await cluster.close();
    await sandbox.close();
  });
  return { cluster, kubeconfig: sandbox.kubeconfig };
}

async function world(t: ExecutionContext) {
  const { cluster, kubeconfig } = await sandboxCluster(t);
  const { plane, agentUrl } = await testPlane(t);
  const enrolmentTokenFile = await temporaryFile(t, 'token');
  await writeFile(enrolmentTokenFile, (await plane.createEnrolment({ agentId })).token);
  const start = async (setup: Partial<AgentSetup> = {}) => {
    const { log, lines } = recordingLog();
    const agent = await agentOf({
      ...{ agentId, cluster: { text: kubeconfig }, controlPlaneUrl: agentUrl, times, log, enrolmentTokenFile },
      ...setup,
    });
    t.teardown(() => agent.stop());
    return { agent, lines };
  };
  const secrets = () => cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'default' });
  return { cluster, plane, start, secrets, enrolmentTokenFile };
}

test('an agent keeps its key in a Secret, and the next process proves it without a token', async (t) => {
  const { plane, start, secrets, enrolmentTokenFile } = await world(t);
  const first = await start();
  const { instanceId } = await plane.waitForAgent(agentId);
  const stateOf = async () => {
    const [secret] = (await secrets()).filter(({ type }) => type === 'helm-agent/agent-key');
    const data = secret?.data as { state: string } | undefined; // as the agent writes it
    return JSON.parse(Buffer.from(data?.state ?? '', 'base64').toString() || '{}') as Partial<KeyState>;
  };
  await eventually('the enrolment is noted', async () => (await stateOf()).audience !== undefined);
  await first.agent.stop();
  await writeFile(enrolmentTokenFile, '');
  await start();
  t.not((await plane.waitForAgent(agentId)).instanceId, instanceId);
  t.is((await secrets()).filter(({ type }) => type === 'helm-agent/agent-key').length, 1);
});

test('two processes that start at the same time use one key', async (t) => {
  const { plane, start, secrets } = await world(t);
  const both = await Promise.all([start(), start()]);
  await eventually('both were connected', () => both.every(({ lines }) => lines.join('').includes('connected to the')));
  t.is((await secrets()).filter(({ type }) => type === 'helm-agent/agent-key').length, 1);
  t.is(plane.agents().length, 1);
});

test('an agent with a kubeconfig keeps its key in a file that only this user can read', async (t) => {
  const { plane, start, secrets } = await world(t);
  const path = join(dirname(await temporaryFile(t)), 'keys', 'edge-1.json');
  await start({ keyFile: path });
  await plane.waitForAgent(agentId);
  t.is((await stat(path)).mode & 0o077, 0);
  t.regex(await readFile(path, 'utf8'), /^\{"key":\{"d":/);
  t.deepEqual(
    (await secrets()).filter(({ type }) => type === 'helm-agent/agent-key'),
    [],
  );
});

const stores: Record<string, (t: ExecutionContext) => Promise<KeyStore>> = {
  async Secret(t) {
    return keySecret({ ...(await sandboxCluster(t)), namespace: 'default', agentId });
  },
  file: async (t) => keyFile(await temporaryFile(t, 'key.json')),
};

for (const [name, open] of Object.entries(stores)) {
  test(`${name}: a state is replaced only by who has read it`, async (t) => {
    const store = await open(t);
    t.is(await store.read(), undefined);
    const [first, second, third, fourth] = [pair(), pair(), pair(), pair()];
    const created = await Promise.all([store.write(first, undefined), store.write(second, undefined)]);
    t.deepEqual(created.toSorted(), [false, true]);
    const found = await store.read();
    const changed = await Promise.all([store.write(third, found?.version), store.write(fourth, found?.version)]);
    t.deepEqual(changed.toSorted(), [false, true]);
    t.false(await store.write(second, found?.version));
    t.false(await store.write(second, undefined));
  });
}

function pair(): KeyState {
  const { privateKey } = newKey();
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  return { key: { d, x, createdAt: 1 } };
}
