import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ControlPlane } from '../../src/control-plane/index.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { realHost } from '../support/host.ts';
import { sourceProgram } from '../support/program.ts';
import { quickStart } from '../support/quick-start.ts';
import { agentId } from './support/world.ts';

const root = new URL('../../src/', import.meta.url).href;

/** The modules of terminals, forwarded ports and logs of pods. */
const sessionModules = /^(operation\/(exec|pod-logs)\/|kube\/(exec|port-forward|pod-socket))/;

/** Runs an agent, and returns which of its modules are those of sessions. */
async function loadedBy(t: ExecutionContext, use: (plane: ControlPlane) => Promise<void>): Promise<string[]> {
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
  // Node writes which scripts it has run
  const env = { ...quickStart(), NODE_V8_COVERAGE: join(folder, 'coverage') };
  const child = spawn(process.execPath, [sourceProgram, 'run', ...args, ...more], { env, stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  await plane.waitForAgent(agentId, AbortSignal.timeout(60_000));
  await use(plane);
  child.kill('SIGTERM');
  t.deepEqual(await exited, [0, null]);
  const names = await readdir(env.NODE_V8_COVERAGE);
  const texts = await Promise.all(names.map((name) => readFile(join(env.NODE_V8_COVERAGE, name), 'utf8')));
  const scripts = texts.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result);
  const modules = scripts.filter(({ url }) => url.startsWith(root)).map(({ url }) => url.slice(root.length));
  t.true(modules.includes('agent/agent.ts'));
  return modules.filter((name) => sessionModules.test(name)).sort();
}

test('an agent that has no sessions has loaded nothing for them', async (t) => {
  t.deepEqual(await loadedBy(t, () => Promise.resolve()), []);
});

test('an agent loads what sessions need with the first one', async (t) => {
  const loaded = await loadedBy(t, async (plane) => {
    const target = { namespace: 'default', name: 'none' };
    const results = [plane.podLogs(agentId, target), plane.execPod(agentId, { ...target, command: ['ls'] })];
    for (const { result } of results) t.like(await result, { ok: false, error: { code: 'not_found' } });
  });
  t.true(loaded.includes('operation/exec/exec-pod.ts'));
  t.true(loaded.includes('operation/pod-logs/pod-logs.ts'));
});
