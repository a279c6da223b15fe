import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { ControlPlane } from '../../src/control-plane/index.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { tokensOf } from '../control-plane/support/credentials.ts';
import { realHost } from '../support/host.ts';
import { program } from '../support/program.ts';
import { quickStart } from '../support/quick-start.ts';
import { crashWorld } from './support/crash-world.ts';
import { agentId, contentsOf, exampleCharts, failureOf, waiting } from './support/world.ts';

/** Starts the program as a process that is killed when the test ends. */
function start(t: ExecutionContext, args: string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [program, ...args], { env: { ...quickStart(), ...env } });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

async function exitOf(child: ChildProcessWithoutNullStreams): Promise<unknown> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

test('an agent without settings names the missing one and exits with 1', async (t) => {
  const child = start(t, ['run']);
  const [code, stderr] = await Promise.all([exitOf(child), text(child.stderr)]);
  t.is(code, 1);
  t.is(
    stderr,
    'Error: --control-plane (HELM_AGENT_CONTROL_PLANE): give the URL of the control plane to connect to, or --listen to accept connections\n',
  );
});

test('bytes that are not UTF-8 are printed unchanged', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  await writeFile(join(folder, 'README'), Buffer.from([0xff, 0x41, 0xc3, 0xbc]));
  const child = start(t, ['show', 'readme', folder]);
  t.deepEqual(await buffer(child.stdout), Buffer.from([0xff, 0x41, 0xc3, 0xbc, 0x0a]));
});

test('SIGTERM during a wait undoes the installation, delivers its result and exits with 0', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const sandbox = await startSandbox({ host: realHost, speed: 20 });
  t.teardown(() => sandbox.close());
  const [kubeconfig, tokenFile] = [join(folder, 'kubeconfig'), join(folder, 'token')];
  await writeFile(kubeconfig, sandbox.kubeconfig);
  await writeFile(tokenFile, 'open-sesame\n');
  const plane = new ControlPlane({ authenticate: tokensOf({ [agentId]: 'open-sesame' }) });
  t.teardown(() => plane.close());
  const child = start(t, ['run', '--kubeconfig', kubeconfig, '--local-charts', exampleCharts], {
    HELM_AGENT_CONTROL_PLANE: `ws://127.0.0.1:${await plane.listen(0)}`,
    HELM_AGENT_AGENT_ID: agentId,
    HELM_AGENT_TOKEN_FILE: tokenFile,
    HELM_AGENT_LOG_LEVEL: 'trace',
  });
  const [exit, log] = [exitOf(child), text(child.stderr)];

  await plane.waitForAgent(agentId, AbortSignal.timeout(55_000));
  const values = 'args: [serve, -after, 10h]\n';
  const command = plane.install(agentId, { releaseName: 'shop', namespace: 'shop', chartName: 'web', values });
  await waiting(command);
  child.kill('SIGTERM');
  const { code, message } = await failureOf(command);
  t.is(code, 'cancelled');
  t.regex(message, /has been uninstalled .*: the agent is shutting down/);
  t.is(await exit, 0);
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  t.teardown(() => cluster.close());
  t.deepEqual(await contentsOf(cluster, 'shop'), []);
  const lines = (await log).trim().split('\n');
  t.like(JSON.parse(lines.at(-1) ?? ''), { msg: 'the agent has stopped' });
  t.false(lines.some((line) => line.includes('open-sesame')));
});

test('SIGTERM parks the commands of a journal, the process is soon gone, and the next one continues', async (t) => {
  const world = await crashWorld({ args: ['--leader-elect'] });
  t.teardown(() => world.close());
  const child = await world.start();
  const commands = ['a', 'b', 'c'].map((namespace) =>
    world.plane.install(agentId, {
      releaseName: 'web',
      chartName: 'web',
      namespace,
      values: 'args: [serve, -after, 40s]',
    }),
  );
  await Promise.all(commands.map((command) => waiting(command)));
  const started = performance.now();
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  t.is(code, 0);
  t.true(performance.now() - started < 15_000); // a fraction of a second if the machine is not busy
  for (const { state } of commands) t.not(state, 'done', 'it was parked');
  await world.start();
  for (const command of commands) t.true((await command.result).ok);
});

test('the sandbox serves an agent until Ctrl-C, and then removes its kubeconfig', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const kubeconfig = join(folder, 'sandbox.kubeconfig');
  const child = start(t, ['sandbox', '--port', '0', '--kubeconfig', kubeconfig]);
  const exit = exitOf(child);
  const hints = text(child.stderr);
  const [path] = (await once(child.stdout, 'data')) as [Buffer];
  t.is(path.toString(), `${kubeconfig}\n`);
  const cluster = connectCluster({ file: kubeconfig });
  t.teardown(() => cluster.close());
  t.like(await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: 'default' }), { kind: 'Namespace' });

  const second = start(t, [
    'sandbox',
    '--kubeconfig',
    join(folder, 'other'),
    '--port',
    portOf(await readFile(kubeconfig, 'utf8')),
  ]);
  t.regex(await text(second.stderr), /^Error: 127\.0\.0\.1:\d+ is in use; .* choose another port with --port\n$/);

  child.kill('SIGINT');
  t.is(await exit, 0);
  t.regex(await hints, new RegExp(`helm-agent run .* --kubeconfig ${kubeconfig}\n`));
  await t.throwsAsync(access(kubeconfig), { code: 'ENOENT' });
});

function portOf(kubeconfig: string): string {
  return /server: https:\/\/127\.0\.0\.1:(\d+)/.exec(kubeconfig)?.[1] ?? '';
}

test('the sandbox does not overwrite a file of someone else', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, 'apiVersion: v1\nkind: Config\n');
  const child = start(t, ['sandbox', '--port', '0', '--kubeconfig', kubeconfig]);
  const [code, stderr] = await Promise.all([exitOf(child), text(child.stderr)]);
  t.is(code, 1);
  t.is(stderr, `Error: ${kubeconfig} exists and was not written by a sandbox; name another file with --kubeconfig\n`);
  t.is(await readFile(kubeconfig, 'utf8'), 'apiVersion: v1\nkind: Config\n');
});

test('an agent without a cluster, or with a port in use, says what to do', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const lost = start(t, ['run', '--listen', '0'], { HOME: folder });
  t.regex(
    await text(lost.stderr),
    /^Error: no cluster found: .*\/\.kube\/config does not exist; .*: helm-agent sandbox\n$/,
  );
  const plane = new ControlPlane();
  t.teardown(() => plane.close());
  const port = String(await plane.listen(0));
  const second = start(t, ['control-plane', '--port', port, '--data', join(folder, 'plane.db')]);
  t.regex(await text(second.stderr), /^Error: 127\.0\.0\.1:\d+ is in use; .* with --port\n$/);
  await writeFile(
    join(folder, 'config'),
    '{"apiVersion":"v1","kind":"Config","clusters":[{"name":"a","cluster":{"server":"http://127.0.0.1:1"}}],"users":[{"name":"a","user":{}}],"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"current-context":"a"}',
  );
  const third = start(t, ['run', '--listen', port, '--kubeconfig', join(folder, 'config')]);
  t.regex(await text(third.stderr), /^Error: 127\.0\.0\.1:\d+ is in use; .* with --listen\n$/);
  const held = createServer().listen(0);
  t.teardown(() => held.close());
  await once(held, 'listening');
  const healthPort = String((held.address() as AddressInfo).port); // a TCP server has no other address
  const args = ['--listen', '0', '--health-port', healthPort, '--kubeconfig', join(folder, 'config')];
  const fourth = start(t, ['run', ...args]);
  t.regex(await text(fourth.stderr), /^Error: \[::\]:\d+ is in use; .* with --health-port\n$/);
});
