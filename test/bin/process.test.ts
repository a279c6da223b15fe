import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { ControlPlane } from '../../src/control-plane/index.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { realHost } from '../support/host.ts';
import { agentId, contentsOf, exampleCharts, failureOf, waiting } from './support/world.ts';

const program = new URL('../../src/bin/helm-agent.ts', import.meta.url).pathname;

/** The program as a process, killed when the test ends. */
function start(t: ExecutionContext, args: string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [program, ...args], { env });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

async function exitOf(child: ChildProcessWithoutNullStreams): Promise<unknown> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

test('an agent without settings names what is missing, and exits with 1', async (t) => {
  const child = start(t, ['run']);
  const [code, stderr] = await Promise.all([exitOf(child), text(child.stderr)]);
  t.is(code, 1);
  t.is(
    stderr,
    'Error: --control-plane (HELM_AGENT_CONTROL_PLANE): give the URL of the control plane to connect to, or --listen to accept connections\n',
  );
});

test('bytes that are no UTF-8 are printed as they are', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  await writeFile(join(folder, 'README'), Buffer.from([0xff, 0x41, 0xc3, 0xbc]));
  const child = start(t, ['show', 'readme', folder]);
  t.deepEqual(await buffer(child.stdout), Buffer.from([0xff, 0x41, 0xc3, 0xbc, 0x0a]));
});

test('SIGTERM in the middle of a wait undoes the installation, delivers its result and exits with 0', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const sandbox = await startSandbox({ host: realHost, speed: 20 });
  t.teardown(() => sandbox.close());
  const [kubeconfig, tokenFile] = [join(folder, 'kubeconfig'), join(folder, 'token')];
  await writeFile(kubeconfig, sandbox.kubeconfig);
  await writeFile(tokenFile, 'open-sesame\n');
  const plane = new ControlPlane({ agentToken: 'open-sesame' });
  t.teardown(() => plane.close());
  const child = start(t, ['run', '--kubeconfig', kubeconfig, '--local-charts', exampleCharts], {
    HELM_AGENT_CONTROL_PLANE: `ws://127.0.0.1:${await plane.listen(0)}`,
    HELM_AGENT_AGENT_ID: agentId,
    HELM_AGENT_TOKEN_FILE: tokenFile,
    HELM_AGENT_LOG_LEVEL: 'trace',
  });
  const [exit, log] = [exitOf(child), text(child.stderr)];

  await plane.waitForAgent(agentId, AbortSignal.timeout(30_000));
  const values = 'args: [serve, -after, 10h]\n';
  const command = plane.install(agentId, { releaseName: 'shop', namespace: 'shop', chartName: 'web', values });
  await waiting(command);
  child.kill('SIGTERM');
  const { code, message } = await failureOf(command);
  t.is(code, 'cancelled');
  t.regex(message, /has been uninstalled .*: the agent is stopping/);
  t.is(await exit, 0);
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  t.teardown(() => cluster.close());
  t.deepEqual(await contentsOf(cluster, 'shop'), []);
  const lines = (await log).trim().split('\n');
  t.like(JSON.parse(lines.at(-1) ?? ''), { msg: 'the agent has stopped' });
  t.false(lines.some((line) => line.includes('open-sesame')));
});
