import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type CommandEvent, ControlPlane, type SentCommand } from '../../src/control-plane/index.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { fieldAt, stringAt } from '../../src/objects/fields.ts';
import { uniqueName } from '../api/environment.ts';
import { crashWorld, kill, statuses } from '../bin/support/crash-world.ts';
import { startCuttableProxy } from '../bin/support/cuttable-proxy.ts';
import { closing } from '../support/closing.ts';
import { eventually } from '../support/eventually.ts';
import { program } from '../support/program.ts';
import { type AgentProcess, startAgentProcess } from './agent-process.ts';
import { createNamespace } from './namespaces.ts';
import { kubeconfigFile, kubeconfigText } from './real-cluster.ts';

// The agent is killed, or it or `ctl` loses the connection to the control plane, in the middle of
// everything that has a stream, or follows something, and of acts. Needs the image
// localhost/node:24 on the node.

const namespace = uniqueName('e2e');
const cluster = connectCluster({ text: kubeconfigText() });
const image = 'localhost/node:24';

const pod = (name: string, script: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image, imagePullPolicy: 'Never', command: ['node', '-e', script] }],
  },
});

test.before('pods', async () => {
  await createNamespace(cluster, namespace);
  const echo = "require('net').createServer((s) => s.pipe(s).on('error', () => {})).listen(8000)";
  await cluster.create(pod('echo', echo));
  const lines = "let i = 0; setInterval(() => { console.log('line', i++); if (i > 300) process.exit() }, 100)";
  await cluster.create(pod('talks', lines));
  await eventually('the pods run', async () => {
    const pods = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace });
    return pods.every((one) => stringAt(one, 'status', 'phase') === 'Running');
  });
});

test.after.always('namespace', async () => {
  await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  await cluster.close();
});

/** The process that is killed, or the one whose connection is cut. */
const interruptions = ['the agent is killed', 'the agent is cut off', 'ctl is cut off'] as const;
type Interruption = (typeof interruptions)[number];

/** Starts a control plane, and an agent and `ctl` that can be interrupted, and come back. */
async function world(t: ExecutionContext, interruption: Interruption) {
  const plane = new ControlPlane();
  const port = await plane.listen(0);
  const [proxy, ctlProxy] = [await startCuttableProxy(port), await startCuttableProxy(port)];
  const agentId = uniqueName('e2e');
  const agents: AgentProcess[] = [];
  const start = async () => {
    const place = ['--control-plane', `ws://127.0.0.1:${proxy.port}`, '--agent-id', agentId];
    agents.push(
      startAgentProcess([...place, '--kubeconfig', kubeconfigFile(), '--allow-rights', 'read,exec,logs,act']),
    );
    await plane.waitForAgent(agentId, AbortSignal.timeout(120_000));
  };
  const kill = async () => {
    const agent = agents.at(-1);
    if (agent) process.kill(agent.pid, 'SIGKILL');
    await agent?.exited;
  };
  t.teardown(async () => {
    await kill().catch(() => undefined);
    proxy.close();
    ctlProxy.close();
    await plane.close();
  });
  await start();
  const interrupt = async () => {
    if (interruption === 'the agent is killed') await kill();
    else if (interruption === 'the agent is cut off') proxy.cut();
    else ctlProxy.cut();
  };
  const comeBack = async () => {
    if (interruption === 'the agent is killed') {
      await start();
      return;
    }
    if (interruption === 'ctl is cut off') {
      ctlProxy.heal();
      return;
    }
    await eventually('the control plane has noticed it', () => plane.agents().length === 0);
    proxy.heal();
    await plane.waitForAgent(agentId, AbortSignal.timeout(120_000));
  };
  const ctl = (...args: string[]) => {
    const [verb = '', ...rest] = args;
    const end = rest.indexOf('--') < 0 ? rest.length : rest.indexOf('--');
    const server = ['--server', `http://127.0.0.1:${ctlProxy.port}`, '--agent', agentId];
    return watched(t, [verb, ...rest.slice(0, end), ...server, ...rest.slice(end)]);
  };
  return { interrupt, comeBack, ctl };
}

/** Runs `helm-agent ctl` in a process of its own, and keeps what it prints. */
function watched(t: ExecutionContext, args: readonly string[]) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [program, 'ctl', ...args]);
  t.teardown(() => child.kill('SIGKILL'));
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => (texts.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (texts.stderr += bytes.toString()));
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(() => child.exitCode);
  return { child, texts, ended };
}

const interrupted = test.macro({
  title: (title = '', interruption: Interruption) => `${title} if ${interruption}`,
  async exec(
    t: ExecutionContext,
    interruption: Interruption,
    run: (t: ExecutionContext, world: World) => Promise<void>,
  ) {
    t.timeout(360_000, 'a busy machine');
    await run(t, await world(t, interruption));
  },
});

type World = Awaited<ReturnType<typeof world>>;

for (const interruption of interruptions) {
  test('exec ends with an error that says so', interrupted, interruption, async (t, { interrupt, comeBack, ctl }) => {
    const { child, texts, ended } = ctl('exec', 'echo', '-n', namespace, '-i', '--', 'cat');
    child.stdin.write('ready\n');
    await eventually('it runs', () => texts.stdout.includes('ready'));
    await interrupt();
    t.is(await ended, 1);
    t.regex(
      texts.stderr,
      /the connection (to the (agent|control plane) )?(is|was) lost|stream to the agent has ended/,
      texts.stderr,
    );
    await comeBack();
  });

  test('cp does not say that the file is there', interrupted, interruption, async (t, { interrupt, comeBack, ctl }) => {
    const folder = await mkdtemp(join(tmpdir(), 'helm-agent-e2e-'));
    t.teardown(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'big'), randomBytes(256 * 1024 * 1024));
    const copy = `/tmp/${uniqueName('big')}`;
    const { texts, ended } = ctl('cp', join(folder, 'big'), `echo:${copy}`, '-n', namespace);
    const size = async () => {
      const look = ctl('exec', 'echo', '-n', namespace, '--', 'sh', '-c', `stat -c %s ${copy} 2>/dev/null || echo 0`);
      await look.ended;
      return Number(look.texts.stdout);
    };
    await eventually('some of it has arrived', async () => (await size()) > 0);
    await interrupt();
    t.is(await ended, 1, texts.stderr);
    t.regex(texts.stderr, /lost|ended/, texts.stderr);
    await comeBack();
  });

  test(
    'logs continue where they have ended, without a lost or repeated line',
    interrupted,
    interruption,
    async (t, { interrupt, comeBack, ctl }) => {
      const { texts, ended } = ctl('logs', 'talks', '-f', '-n', namespace);
      await eventually('lines arrive', () => texts.stdout.split('\n').length > 5);
      await interrupt();
      await comeBack();
      t.is(await ended, 0, texts.stderr);
      t.is(texts.stdout, Array.from({ length: 301 }, (_, index) => `line ${index}\n`).join(''), texts.stderr);
    },
  );

  test(
    'port-forward closes its connections, and serves new ones later',
    interrupted,
    interruption,
    async (t, { interrupt, comeBack, ctl }) => {
      const { child, texts } = ctl('port-forward', 'echo', ':8000', '-n', namespace);
      await eventually('it listens', () => /127\.0\.0\.1:\d+/.test(texts.stdout));
      const port = Number(/127\.0\.0\.1:(\d+)/.exec(texts.stdout)?.[1]);
      const open = () => {
        const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
        t.teardown(() => socket.destroy());
        let echoed = '';
        socket.on('data', (bytes: Buffer) => (echoed += bytes.toString()));
        socket.write('ping');
        return { socket, echoed: () => echoed };
      };
      const first = open();
      await eventually('it is connected', () => first.echoed() === 'ping');
      const closed = closing(first.socket);
      await interrupt();
      await closed;
      await comeBack();
      await eventually('a new connection works', async () => {
        const { socket, echoed } = open();
        try {
          await eventually('it responds', () => echoed() === 'ping', 5000);
          return true;
        } catch {
          return false;
        } finally {
          socket.destroy();
        }
      });
      t.is(child.exitCode, null);
      t.regex(texts.stderr, /port 8000: .*(lost|ended)/);
    },
  );

  test('a watch of objects does not hang', interrupted, interruption, async (t, { interrupt, comeBack, ctl }) => {
    const { child, texts, ended } = ctl('list-objects', 'cm', '-n', namespace, '--watch');
    await eventually('the objects are listed', () => (texts.stdout + texts.stderr).includes('kube-root-ca.crt'));
    await interrupt();
    await comeBack();
    if (interruption === 'the agent is killed') {
      t.is(await ended, 1, texts.stdout + texts.stderr);
      t.regex(texts.stderr, /result_unknown|lost|ended|restarted|process/i);
      return;
    }
    const name = uniqueName('added');
    await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } });
    await eventually('it continues', () => texts.stdout.includes(name));
    t.is(child.exitCode, null);
  });
}

test(
  'restart has one effect, and its result is shown',
  interrupted,
  'ctl is cut off',
  async (t, { interrupt, comeBack, ctl }) => {
    const name = uniqueName('restarted');
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name };
    await cluster.create({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace } },
      spec: {
        minReadySeconds: 15, // so that no wait ends before the agent is killed
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'localhost/app:1' }] },
        },
      },
    });
    const { texts, ended } = ctl('restart', `deploy/${name}`, '-n', namespace);
    const revision = async () =>
      stringAt(await cluster.get(deployment), 'metadata', 'annotations', 'deployment.kubernetes.io/revision');
    await eventually('it is restarted', async () => (await revision()) === '2');
    await interrupt();
    await eventually('ctl has noticed it', () => texts.stderr.includes('the connection is lost'));
    await comeBack();
    t.is(await ended, 0, texts.stderr);
    t.is(await revision(), '2');
    t.regex(texts.stderr, /connected again/);
  },
);

test('acts continue when the agent is back, and have one effect each', async (t) => {
  t.timeout(300_000, 'a busy machine');
  const [site, stopped] = [`${namespace}-site`, `${namespace}-stopped`];
  t.teardown(async () => {
    for (const name of [site, stopped]) await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name });
  });
  const args = ['--allow-rights', 'read,deploy,act'];
  const world = await crashWorld({ kubeconfig: kubeconfigText(), agentNamespace: namespace, args });
  t.teardown(() => world.close());
  let agent = await world.start();
  const { plane, agentId } = world;
  const release = { releaseName: 'web', chartName: 'web', noHooks: true };
  for (const name of [site, stopped])
    t.like(await plane.install(agentId, { ...release, namespace: name }).result, { ok: true });
  t.like(await plane.stopRelease(agentId, { namespace: stopped, releaseName: 'web' }).result, { ok: true });
  const container = { name: 'main', image: 'localhost/app:1', args: ['serve'] };
  for (const name of ['restarted', 'scaled']) {
    await cluster.create({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: site } },
      spec: {
        minReadySeconds: 15, // so that no wait ends before the agent is killed
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
      },
    });
  }
  const template = { spec: { restartPolicy: 'Never', containers: [{ ...container, args: ['sleep', '15s'] }] } };
  await cluster.create({
    ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'nightly', namespace: site } },
    spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { backoffLimit: 0, template } } },
  });
  const before = world.jobs(site).length;

  const acts = [
    plane.restartWorkload(agentId, { kind: 'deploy', namespace: site, name: 'restarted' }),
    plane.scaleWorkload(agentId, { kind: 'deploy', namespace: site, name: 'scaled', replicas: 2 }),
    plane.runJob(agentId, { namespace: site, name: 'nightly' }),
    plane.startRelease(agentId, { namespace: stopped, releaseName: 'web' }),
    plane.stopRelease(agentId, { namespace: site, releaseName: 'web' }),
  ] as const;
  await Promise.all(acts.map((act) => statuses(act, 1)));
  await kill(world, agent);
  agent = await world.start();
  await Promise.all(acts.slice(0, 3).map(untilWait));
  await kill(world, agent);
  await world.start();
  const expected = [/^restarted$/, /^scaled from 1 to 2$/, /^created$/, /^scaled from 0 to 1$/, /^scaled from 1 to 0$/];
  for (const [index, act] of acts.entries()) {
    const result = await act.result;
    t.true(result.ok, JSON.stringify(result));
    if (result.ok) t.regex(result.changes.map(({ change }) => change).join(), expected[index] ?? /^$/);
    const events: CommandEvent[] = [];
    for await (const event of act) events.push(event);
    t.true(
      events.some(({ type, payload }) => type === 'accepted' && 'resumed' in payload),
      act.type,
    );
    t.is(events.filter(({ type }) => type === 'result').length, 1);
  }
  const replicas = async (name: string, of = site) =>
    fieldAt(await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: of, name }), 'spec', 'replicas');
  t.deepEqual([await replicas('scaled'), await replicas('web'), await replicas('web', stopped)], [2, 0, 1]);
  const labelSelector = 'app=restarted';
  const rollouts = await cluster.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: site, labelSelector });
  t.is(rollouts.length, 2, 'one restart');
  t.is(world.jobs(site).length - before, 1, 'one Job');
  const again = await plane.startRelease(agentId, { namespace: site, releaseName: 'web' }).result;
  t.like(again, { ok: true, changes: [{ change: 'scaled from 0 to 1' }] }, 'the note is that of before');
});

/** Resolves when a command waits for its objects, or has ended. */
async function untilWait(command: SentCommand): Promise<void> {
  for await (const { type, payload } of command) {
    if (type === 'status' && 'step' in payload && payload.step === 'wait' && payload.state === 'running') return;
  }
}
