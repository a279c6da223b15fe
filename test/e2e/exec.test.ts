import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { connectCluster } from '../../src/kube/cluster.ts';
import { stringAt } from '../../src/objects/fields.ts';
import { channels, encodeMessage, messagesOf } from '../../src/protocol/streams/messages.ts';
import { uniqueName } from '../api/environment.ts';
import { freePort } from '../control-plane/support/postgres.ts';
import { closing } from '../support/closing.ts';
import { eventually } from '../support/eventually.ts';
import { program } from '../support/program.ts';
import { useHarness } from './harness.ts';
import { loadImage } from './image.ts';
import { createNamespace } from './namespaces.ts';
import { openHarness } from './open-harness.ts';
import { kubeconfigText } from './real-cluster.ts';

const { E2E_IMAGE_BASE: base = '', E2E_LOAD_IMAGE: loadCommand = '' } = process.env;
const needs = base === '' || loadCommand === '' ? ' (needs E2E_IMAGE_BASE and E2E_LOAD_IMAGE)' : '';
const onCluster = needs === '' ? test : test.skip;

const charts = fileURLToPath(new URL('fixtures', import.meta.url));
const options = { kubeconfig: kubeconfigText(), localCharts: charts, arguments: ['--allow-rights', 'read,exec,logs'] };
const harness = useHarness(() => options);
const namespace = uniqueName('e2e');
const image = 'localhost/exec-tools:e2e';

const pod = (name: string, container: object, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: {
    terminationGracePeriodSeconds: 0,
    ...more,
    containers: [{ name: 'main', imagePullPolicy: 'Never', ...container }],
  },
});

const cluster = connectCluster({ text: options.kubeconfig });

test.before('pods', async () => {
  if (needs !== '') return;
  await loadImage(base, loadCommand, image);
  await createNamespace(cluster, namespace);
  const tools = { image, command: ['sleep', 'infinity'] };
  for (const name of ['tools', 'doomed']) await cluster.create(pod(name, tools));
  const echo = "require('net').createServer({ allowHalfOpen: true }, (s) => s.pipe(s)).listen(8000)";
  await cluster.create(pod('echo', { image, command: ['node', '-e', echo] }));
  const mortal = `require('net').createServer((s) => s.on('data', (b) => (String(b) === 'die' ? process.exit(1) : s.write(b))).on('error', () => {})).listen(8000)`;
  await cluster.create(pod('mortal', { image, command: ['node', '-e', mortal] }));
  await cluster.create(pod('bare', { image: 'localhost/app:1', args: ['sleep', '10h'] }));
  await eventually('the pods run', async () => {
    const pods = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace });
    return pods.every((one) => stringAt(one, 'status', 'phase') === 'Running');
  });
});

test.after.always('namespace', async () => {
  if (needs !== '') return;
  await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  await cluster.close();
});

/** Starts `helm-agent ctl exec` in a process of its own. */
function start(...args: string[]): ChildProcessWithoutNullStreams {
  const { url, agentId } = harness();
  const place = ['--server', url, '--agent', agentId, '-n', namespace];
  const [target = '', ...rest] = args;
  return spawn(process.execPath, [program, 'ctl', 'exec', target, ...place, ...rest]);
}

/** Runs another command of `helm-agent ctl`. */
async function ctl(...args: string[]) {
  const { url, agentId } = harness();
  const child = spawn(process.execPath, [
    program,
    'ctl',
    ...args,
    '--server',
    url,
    '--agent',
    agentId,
    '-n',
    namespace,
  ]);
  const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, code: child.exitCode };
}

/** Runs `helm-agent ctl exec` with an input. */
async function exec(args: string[], input: Uint8Array | string = '') {
  const child = start(...args);
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, code: child.exitCode };
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

onCluster(`programs end with their exit codes${needs}`, async (t) => {
  for (const code of [0, 1, 42, 255]) {
    const ended = await exec(['tools', '--', 'sh', '-c', `echo out; echo err >&2; exit ${code}`]);
    t.deepEqual({ ...ended, stdout: ended.stdout.toString() }, { stdout: 'out\n', stderr: 'err\n', code });
  }
  t.is((await exec(['tools', '--', 'sh', '-c', 'kill -9 $$'])).code, 137);
});

onCluster(`an input that ends arrives whole, in both directions of tar${needs}`, async (t) => {
  const content = randomBytes(300_000);
  const write = await exec(['tools', '-i', '--', 'sh', '-c', 'mkdir -p /tmp/in && cat > /tmp/in/file'], content);
  t.is(write.code, 0, write.stderr);
  const archive = await exec(['tools', '--', 'tar', 'c', '-C', '/tmp/in', 'file']);
  t.is(archive.code, 0, archive.stderr);
  const unpacked = await exec(
    ['tools', '-i', '--', 'sh', '-c', 'mkdir -p /tmp/out && tar x -C /tmp/out'],
    archive.stdout,
  );
  t.is(unpacked.code, 0, unpacked.stderr);
  const read = await exec(['tools', '--', 'cat', '/tmp/out/file']);
  t.true(read.stdout.equals(content));
});

onCluster(`64 MiB and bytes that are not text arrive byte for byte${needs}`, async (t) => {
  t.timeout(300_000);
  const content = randomBytes(64 * 1024 * 1024);
  // Kubernetes can lose the end of an output on a busy machine, and kubectl has no more of it
  for (let tries = 1; ; tries++) {
    const { stdout, stderr, code } = await exec(['tools', '-i', '--', 'cat'], content);
    t.is(code, 0, stderr);
    t.is(sha256(stdout), sha256(content.subarray(0, stdout.length)));
    if (stdout.length === content.length) return;
    t.true(tries < 3, `${stdout.length} bytes have arrived`);
  }
});

// The runtime sets the size beside the start of the program, so the program waits for it.
onCluster(`a terminal has its first size without a message, and each later one${needs}`, async (t) => {
  t.timeout(120_000);
  const { plane, agentId } = harness();
  const command = plane.execPod(agentId, {
    ...{ namespace, name: 'tools', stdin: true, tty: true, size: { columns: 91, rows: 17 } },
    command: [
      'sh',
      '-c',
      'for size in "17 91" "20 50"; do until stty size | grep "$size"; do sleep 0.1; done; done; exit 3',
    ],
  });
  const stream = await plane.openStream(command.key);
  const control = (message: object) =>
    stream.write(encodeMessage({ channel: channels.control, bytes: Buffer.from(JSON.stringify(message)) }));
  let output = '';
  for await (const { bytes } of messagesOf(stream, [channels.output, channels.error])) {
    const before = output;
    output += bytes.toString();
    if (output.includes('17 91') && !before.includes('17 91')) {
      control({ type: 'resize', columns: 50, rows: 20 });
    }
  }
  stream.end();
  t.regex(output, /17 91[^]*20 50/);
  t.deepEqual(await command.result, { ok: true, exitCode: 3, pod: 'tools', container: 'main' });
});

const refused = test.macro({
  title: (title = '') => `${title}${needs}`,
  async exec(t: ExecutionContext, args: string[], expected: RegExp) {
    const { code, stderr } = await exec(args);
    t.is(code, 1);
    t.regex(stderr, expected);
  },
});

onCluster(
  'a container that does not exist',
  refused,
  ['tools', '-c', 'nope', '--', 'sh'],
  /has no container "nope"; it has: main \(not_found\)/,
);
onCluster(
  'a pod that does not exist',
  refused,
  ['nope', '--', 'sh'],
  /there is no Pod "nope" .*there are: .*tools.*\(not_found\)/,
);
onCluster(
  'an image without a shell',
  refused,
  ['bare', '-i'],
  /has no shell \(bash, sh, ash, powershell, cmd\); name a program.*\(not_found\)/,
);
onCluster(
  'a program that does not exist',
  refused,
  ['tools', '--', 'no-such-program'],
  /could not be run: .*no-such-program.*\(bad_request\)/,
);

onCluster(`a shell is found if no command is named${needs}`, async (t) => {
  const { code, stdout, stderr } = await exec(['tools', '-i'], 'echo $0; exit 5\n');
  t.is(code, 5, stderr);
  t.is(stdout.toString(), 'bash\n');
});

onCluster(`a pod that is deleted in the middle ends the session with an error${needs}`, async (t) => {
  const child = start('doomed', '-i', '--', 'cat');
  child.stdin.write('ready\n');
  await once(child.stdout, 'data');
  const stderr = text(child.stderr);
  await cluster.delete({ apiVersion: 'v1', kind: 'Pod', name: 'doomed', namespace });
  await once(child, 'close');
  t.true([1, 137].includes(child.exitCode ?? 0), `${child.exitCode}: ${await stderr}`);
});

onCluster(`a program whose caller goes away reads the end of its input${needs}`, async (t) => {
  const { plane, agentId } = harness();
  const command = plane.execPod(agentId, {
    ...{ namespace, name: 'tools', stdin: true },
    command: ['sh', '-c', 'echo $$ > /tmp/left; cat'],
  });
  const stream = await plane.openStream(command.key);
  await eventually('it runs', async () => (await exec(['tools', '--', 'test', '-s', '/tmp/left'])).code === 0);
  stream.destroy();
  t.like(await command.result, { ok: false, error: { code: 'stream_lost' } });
  await eventually('it has ended', async () => {
    const { code } = await exec(['tools', '--', 'sh', '-c', 'kill -0 $(cat /tmp/left)']);
    return code !== 0;
  });
});

/** Runs a program, leaves its session, and returns whether it has ended some seconds later. */
async function endsWithSession(fields: { stdin?: boolean; tty?: boolean; kill?: boolean }, script: string) {
  const { plane, agentId } = harness();
  const file = `/tmp/${uniqueName('pid')}`;
  const command = plane.execPod(agentId, {
    ...{ namespace, name: 'tools', ...fields },
    command: ['sh', '-c', `echo $$ > ${file}; ${script}`],
  });
  const stream = await plane.openStream(command.key);
  stream.on('error', () => undefined).resume();
  await eventually('it runs', async () => (await exec(['tools', '--', 'test', '-s', file])).code === 0);
  stream.destroy();
  await command.result;
  try {
    await eventually(
      'it has ended',
      async () => (await exec(['tools', '--', 'sh', '-c', `kill -0 $(cat ${file})`])).code !== 0,
      10_000,
    );
    return true;
  } catch {
    return false;
  }
}

onCluster(`a program does not outlive its session if that can be prevented${needs}`, async (t) => {
  t.timeout(180_000);
  t.true(await endsWithSession({ stdin: true, tty: true }, 'exec sh'), 'a shell in a terminal');
  t.true(await endsWithSession({ stdin: true, tty: true }, 'sleep 1000; true'), 'a program in a terminal');
  t.true(await endsWithSession({ kill: true }, 'sleep 1000; true'), 'a program with kill');
  t.true(await endsWithSession({ kill: true }, 'trap "" TERM; sleep 1000; true'), 'one that ignores SIGTERM');
  t.true(await endsWithSession({ kill: true, tty: true, stdin: true }, 'exec bash -i'), 'bash, which ignores SIGTERM');
});

onCluster(`connections to a port of a pod carry bytes, many at a time${needs}`, async (t) => {
  t.timeout(120_000);
  const { url, agentId } = harness();
  const place = ['--server', url, '--agent', agentId, '-n', namespace];
  const child = spawn(process.execPath, [program, 'ctl', 'port-forward', 'echo', ':8000', ':8001', ...place]);
  t.teardown(() => child.kill('SIGKILL'));
  let shown = '';
  let errors = '';
  child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  await eventually('it listens', () => shown.split('\n').length > 2);
  const [open, closed] = [...shown.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port));
  const contents = Array.from({ length: 8 }, () => randomBytes(1024 * 1024));
  const digests = contents.map(async (content) => {
    const socket = connect({ port: open ?? 0, host: '127.0.0.1' });
    t.teardown(() => socket.destroy());
    socket.write(content);
    const received: Buffer[] = [];
    let size = 0;
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      received.push(bytes);
      size += bytes.length;
      if (size >= content.length) break;
    }
    return sha256(Buffer.concat(received));
  });
  t.deepEqual(
    await Promise.all(digests),
    contents.map((content) => sha256(content)),
  );
  const refusedSocket = connect({ port: closed ?? 0, host: '127.0.0.1' });
  await closing(refusedSocket);
  await eventually('it says that nothing listens', () => /port 8001.*refused/.test(errors));
  t.pass();
});

onCluster(`connections to a port end with its container, and begin again with the next one${needs}`, async (t) => {
  t.timeout(120_000);
  const { url, agentId } = harness();
  const place = ['--server', url, '--agent', agentId, '-n', namespace];
  const child = spawn(process.execPath, [program, 'ctl', 'port-forward', 'mortal', ':8000', ...place]);
  t.teardown(() => child.kill('SIGKILL'));
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => (texts.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (texts.stderr += bytes.toString()));
  await eventually('it listens', () => /127\.0\.0\.1:\d+/.test(texts.stdout));
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(texts.stdout)?.[1]);
  /** Sends a word, and returns what arrives first: bytes, or the end as an empty text. */
  const say = async (word: string) => {
    const socket = connect({ port, host: '127.0.0.1' });
    t.teardown(() => socket.destroy());
    const ended = closing(socket).then(() => '');
    const arrived = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))));
    socket.write(word);
    return await Promise.race([arrived, ended]);
  };
  t.is(await say('ping'), 'ping');
  t.is(await say('die'), '', 'the connection is closed');
  await eventually('the next container listens', async () => (await say('ping')) === 'ping');
  t.is(child.exitCode, null);
  t.notRegex(texts.stderr, /undefined|at file:/);
});

onCluster(
  `a ReplicationController, a Job, and the newest Job of a CronJob lead to their pods, which run programs and have logs${needs}`,
  async (t) => {
    t.timeout(120_000);
    const tools = { name: 'main', image, imagePullPolicy: 'Never', command: ['sh', '-c', 'hostname; sleep 1000'] };
    const spec = { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers: [tools] };
    const job = { spec: { template: { spec } } };
    const cronJob = await cluster.create({
      ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'nightly', namespace } },
      spec: { schedule: '0 0 1 1 *', jobTemplate: job },
    });
    t.regex((await exec(['cronjob/nightly', '--', 'hostname'])).stderr, /CronJob nightly has no Job.*\(not_found\)/);
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: cronJob.metadata.uid ?? '' };
    for (const name of ['load', 'nightly-1']) {
      const ownerReferences = name === 'load' ? [] : [owner];
      await cluster.create({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name, namespace, ownerReferences },
        ...job,
      });
    }
    await cluster.create({
      ...{ apiVersion: 'v1', kind: 'ReplicationController', metadata: { name: 'old', namespace } },
      spec: {
        replicas: 1,
        selector: { app: 'old' },
        template: { metadata: { labels: { app: 'old' } }, spec: { ...spec, restartPolicy: 'Always' } },
      },
    });
    for (const [target, pod] of [
      ['rc/old', /^old-\w+$/],
      ['job/load', /^load-\w+$/],
      ['cronjob/nightly', /^nightly-1-\w+$/],
    ] as const) {
      let output = '';
      await eventually('its pod runs', async () => {
        const { stdout, code } = await exec([target, '--', 'hostname']);
        output = stdout.toString().trim();
        return code === 0;
      });
      t.regex(output, pod);
      const { stdout, stderr } = await ctl('logs', target, '--no-prefix');
      t.is(stdout.toString().trim(), output, stderr);
    }
  },
);

const python = pythonVersion() === undefined ? ' (needs python3)' : needs;

function pythonVersion(): string | undefined {
  try {
    return execFileSync('python3', ['--version']).toString();
  } catch {
    return undefined;
  }
}

(python === '' ? test : test.skip)(`the Python client runs programs and reads logs${python}`, async (t) => {
  t.timeout(120_000);
  const { url, agentId } = harness();
  const script = fileURLToPath(new URL('../../examples/python/helm_agent.py', import.meta.url));
  const run = async (args: string[], input: Uint8Array = Buffer.alloc(0)) => {
    const child = spawn('python3', [script, ...args], { env: { ...process.env, HELM_AGENT_SERVER: url } });
    child.stdin.on('error', () => undefined).end(input);
    const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'close')]);
    return { stdout, stderr, code: child.exitCode };
  };
  const content = randomBytes(1024 * 1024);
  const ended = await run(['exec', agentId, namespace, 'tools', 'sh', '-c', 'cat; echo done >&2; exit 7'], content);
  t.is(ended.code, 7, ended.stderr);
  t.is(ended.stderr, 'done\n');
  t.is(sha256(ended.stdout), sha256(content));
  const missing = await run(['exec', agentId, namespace, 'nope', 'id']);
  t.is(missing.code, 1);
  t.regex(missing.stderr, /there is no Pod "nope".*\(not_found\)/);
  const said = String.raw`printf 'one\ntwo \351'`;
  await cluster.create(pod('said', { image, command: ['sh', '-c', said] }, { restartPolicy: 'Never' }));
  await eventually('its log can be read', async () => {
    const { stdout } = await run(['logs', agentId, namespace, 'said']);
    return stdout.toString('latin1') === 'one\ntwo \u00e9';
  });
});

onCluster(`a client of the Go agent gets a shell at /container/exe-cmd${needs}`, async (t) => {
  t.timeout(120_000);
  const listen = `127.0.0.1:${await freePort()}`;
  const rights = ['--allow-rights', 'read,exec'];
  const other = await openHarness({ ...options, arguments: [...rights, '--listen', listen, '--listen-exec'] });
  t.teardown(() => other.close());
  const shell = async (pod: string, typed: string) => {
    const socket = new WebSocket(`ws://${listen}/container/exe-cmd?namespace=${namespace}&podName=${pod}`);
    t.teardown(() => socket.terminate());
    let shown = '';
    socket.on('message', (data: Buffer) => (shown += data.toString('latin1')));
    socket.once('open', () => socket.send(typed));
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
    return { shown, code, reason: reason.toString() };
  };
  const ended = await shell('tools', "printf 'sum:%d \\351\\n' $((6 * 7)); exit 5\n");
  t.like(ended, { code: 1000, reason: 'exit code 5' });
  t.regex(ended.shown, /sum:42 \u00e9/);
  t.like(await shell('nope', ''), { code: 1011 });
});

onCluster(`an agent that does not allow it refuses the right${needs}`, async (t) => {
  const other = await openHarness({ ...options, arguments: [] });
  t.teardown(() => other.close());
  const command = other.plane.execPod(other.agentId, { namespace, name: 'tools', command: ['id'] });
  t.like(await command.result, { ok: false, error: { code: 'forbidden' } });
});
