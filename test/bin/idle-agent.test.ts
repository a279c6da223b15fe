import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ControlPlane } from '../../src/control-plane/index.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { createSigstore, testIdentity, testIssuer } from '../source/verification/test-sigstore.ts';
import { realHost } from '../support/host.ts';
import { sourceProgram } from '../support/program.ts';
import { quickStart } from '../support/quick-start.ts';
import { agentId } from './support/world.ts';

const root = new URL('../../src/', import.meta.url).href;

/** The modules of terminals, forwarded ports and logs of pods. */
const sessionModules = /^(operation\/(exec|pod-logs)\/|kube\/(exec|port-forward|pod-socket))/;

interface AgentRun {
  /** The modules to look for: paths below `src`, or whole URLs of others. */
  modules: RegExp;
  /** Text of its policy. Default: it has none. */
  policy?: string;
  use?: (plane: ControlPlane) => Promise<void>;
}

/** Runs an agent, and returns which of some modules it has loaded. */
async function loadedBy(t: ExecutionContext, { modules, policy, use }: AgentRun): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const sandbox = await startSandbox({ host: realHost, speed: 20 });
  t.teardown(() => sandbox.close());
  const plane = new ControlPlane();
  t.teardown(() => plane.close());
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, sandbox.kubeconfig);
  const args = ['--control-plane', `ws://127.0.0.1:${await plane.listen(0)}`, '--agent-id', agentId];
  const more = ['--kubeconfig', kubeconfig, '--allow-rights', 'read,exec,logs'];
  if (policy !== undefined) {
    const policyFile = join(folder, 'policy.yaml');
    await writeFile(policyFile, policy);
    more.push('--policy-file', policyFile);
  }
  // Node writes which scripts it has run
  const env = { ...quickStart(), NODE_V8_COVERAGE: join(folder, 'coverage') };
  const child = spawn(process.execPath, [sourceProgram, 'run', ...args, ...more], { env, stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  await plane.waitForAgent(agentId, AbortSignal.timeout(60_000));
  await use?.(plane);
  child.kill('SIGTERM');
  t.deepEqual(await exited, [0, null]);
  const names = await readdir(env.NODE_V8_COVERAGE);
  const texts = await Promise.all(names.map((name) => readFile(join(env.NODE_V8_COVERAGE, name), 'utf8')));
  const scripts = texts.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result);
  const loaded = scripts.map(({ url }) => (url.startsWith(root) ? url.slice(root.length) : url));
  t.true(loaded.includes('agent/agent.ts'));
  return loaded.filter((name) => modules.test(name)).sort();
}

test('an agent that has no sessions has loaded nothing for them', async (t) => {
  t.deepEqual(await loadedBy(t, { modules: sessionModules }), []);
});

test('an agent loads what sessions need with the first one', async (t) => {
  const use = async (plane: ControlPlane) => {
    const target = { namespace: 'default', name: 'none' };
    const results = [plane.podLogs(agentId, target), plane.execPod(agentId, { ...target, command: ['ls'] })];
    for (const { result } of results) t.like(await result, { ok: false, error: { code: 'not_found' } });
  };
  const loaded = await loadedBy(t, { modules: sessionModules, use });
  t.true(loaded.includes('operation/exec/exec-pod.ts'));
  t.true(loaded.includes('operation/pod-logs/pod-logs.ts'));
});

test('an agent whose policy has keyless keys loads nothing of Sigstore before it verifies a signature', async (t) => {
  const keyless = { issuer: testIssuer, identity: testIdentity, trustedRoot: createSigstore().trustedRoot };
  const policy = `chartKeys:
  - { name: workflow, keyless: ${JSON.stringify(keyless)} }
rules:
  - { name: all, verify: { mode: always, keys: [workflow] } }
default: deny
`;
  const use = async (plane: ControlPlane) => {
    const { result } = plane.getPolicy(agentId, {});
    t.like(await result, { ok: true, policy });
  };
  t.deepEqual(await loadedBy(t, { modules: /@sigstore|verification\/(keyless|sigstore)/, policy, use }), []);
});
