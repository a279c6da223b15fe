import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { messageOf } from '../../src/errors/index.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { type LogCursor, readLogRecords } from '../../src/protocol/streams/log-records.ts';
import { eventually } from '../support/eventually.ts';
import { useHarness } from './harness.ts';
import { createNamespace, freeNamespace } from './namespaces.ts';
import { kubeconfigText } from './real-cluster.ts';
import { runCtl } from './twins.ts';

const run = promisify(execFile);
const image = 'localhost/node:24';
const rights = ['--allow-rights', 'read,deploy,act,logs'];
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: '.', arguments: rights }));

/** Returns what kubectl prints. */
async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await run(`${process.env['HELM_BIN'] ?? ''}/kubectl`, args, { maxBuffer: 1024 ** 3 });
  return stdout;
}

async function namespaceFor(t: ExecutionContext): Promise<string> {
  const { cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  await createNamespace(cluster, namespace);
  return namespace;
}

const container = (name: string, script: string) => ({ name, image, command: ['node', '-e', script] });

function podOf(namespace: string, name: string, spec: object): KubeObject {
  const metadata = { name, namespace, labels: { app: name } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { terminationGracePeriodSeconds: 0, ...spec } };
}

async function phaseIs(namespace: string, name: string, phase: string): Promise<void> {
  await eventually(
    `${name} is ${phase}`,
    async () => {
      const pod = await harness().cluster.get({ apiVersion: 'v1', kind: 'Pod', namespace, name });
      return (pod?.['status'] as { phase?: string } | undefined)?.phase === phase;
    },
    120_000,
  );
}

test('prints what kubectl prints, byte for byte', async (t) => {
  const { cluster } = harness();
  const namespace = await namespaceFor(t);
  const script = "for (let i = 0; i < 50; i++) console.log('line', i, 'caf\\u00e9'); process.stdout.write('last')";
  await cluster.create(
    podOf(namespace, 'talks', {
      restartPolicy: 'Never',
      initContainers: [container('first', "console.log('init')")],
      containers: [
        container('app', script),
        container('side', "console.error('side'); console.log('x'.repeat(100000))"),
      ],
    }),
  );
  await phaseIs(namespace, 'talks', 'Succeeded');
  for (const options of [
    ['talks'],
    ['talks', '-c', 'side'],
    ['talks', '-c', 'first'],
    ['talks', '--tail=3'],
    ['talks', '--tail=0'],
    ['talks', '--timestamps'],
    ['talks', '--limit-bytes=33'],
    ['talks', '--since=1h'],
    ['talks', '--since-time=2020-01-01T00:00:00Z', '--tail=2', '--timestamps'],
    ['talks', '--follow'],
    ['talks', '--follow', '--tail=2'],
  ]) {
    const { stdout, stderr, code } = await runCtl(harness(), ['logs', ...options, '-n', namespace]);
    t.is(code, 0, `${options.join(' ')}: ${stderr}`);
    // kubectl may print an error of the kubelet after a log that it follows
    const present = options.filter((option) => option !== '--follow');
    t.is(stdout, await kubectl('logs', ...present, '-n', namespace), options.join(' '));
  }
  const all = await runCtl(harness(), ['logs', 'talks', '--all-containers', '-n', namespace]);
  t.regex(all.stdout, /^\[pod\/talks\/first\] init\n\[pod\/talks\/app\] line 0/);
  const unknown = await runCtl(harness(), ['logs', 'talks', '-c', 'nope', '-n', namespace]);
  t.regex(unknown.stderr, /has no container "nope"; it has: first, app, side/);
  t.is((await runCtl(harness(), ['logs', 'gone', '-n', namespace])).code, 1);
});

test('reads the previous run of a container in a crash loop', async (t) => {
  t.timeout(300_000, 'a busy machine');
  const namespace = await namespaceFor(t);
  const script = "console.log('run', new Date().toISOString()); process.exit(1)";
  await harness().cluster.create(podOf(namespace, 'crashes', { containers: [container('app', script)] }));
  const options = ['logs', 'crashes', '--previous', '-n', namespace];
  const expected = () => kubectl(...options).catch(() => '');
  let printed = '';
  let after = '';
  // the container may restart between two reads, and the log of the run before is then deleted
  await eventually(
    'all reads are of the same run',
    async () => {
      const before = await expected();
      if (!before.startsWith('run ')) return false;
      printed = (await runCtl(harness(), options)).stdout;
      after = await expected();
      return before === after;
    },
    240_000,
  );
  t.is(printed, after);
});

test('follows a Job with 100,000 lines to its end, over cut streams, without a lost or repeated line', async (t) => {
  const { cluster, plane, agentId } = harness();
  const namespace = await namespaceFor(t);
  const script = `let i = 0; const go = () => { for (let n = 0; n < 1000 && i < 100000; n++) process.stdout.write('line ' + i++ + '\\n'); if (i < 100000) setTimeout(go, 30) }; go()`;
  await cluster.create({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'writes', namespace },
    spec: { backoffLimit: 0, template: { spec: { restartPolicy: 'Never', containers: [container('app', script)] } } },
  });
  const parts: Buffer[] = [];
  const notices: string[] = [];
  let cursors: LogCursor[] | undefined;
  let cuts = 0;
  let last: ReturnType<typeof plane.podLogs> | undefined;
  while (last === undefined) {
    const options = { namespace, name: 'job/writes', follow: true, ...(cursors && { cursors }) };
    const command = plane.podLogs(agentId, options);
    const stream = await plane.openStream(command.key);
    stream.end(); // readers send nothing

    const limit = (cuts + 1) * 150_000;
    let length = 0;
    let isCut = false;
    try {
      for await (const { cursor, bytes, notice } of readLogRecords(stream)) {
        parts.push(Buffer.from(bytes));
        if (cursor) cursors = [cursor];
        if (notice !== undefined) notices.push(notice);
        length += bytes.length;
        isCut = length > limit;
        if (isCut) break;
      }
    } catch (error) {
      t.log(messageOf(error)); // so is a connection that is lost
      isCut = true;
    }
    if (isCut) cuts += 1;
    else last = command;
  }
  t.true(cuts >= 2);
  t.deepEqual(notices, []);
  t.like(await last.result, { ok: true, containers: 1 });
  const [pod] = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace });
  t.like(pod?.['status'], { phase: 'Succeeded' }, 'the container has written all lines');
  const lines = Buffer.concat(parts).toString().split('\n');
  const different = lines.findIndex((text, index) => text !== (index < 100_000 ? `line ${index}` : ''));
  t.is(different, -1, `after line ${different}: ${JSON.stringify(lines.slice(different - 1, different + 3))}`);
  t.is(lines.length, 100_001);
});

test('follows a container over its restarts to its end, and repeats no line and loses none without saying so', async (t) => {
  const namespace = await namespaceFor(t);
  const script = `
    const fs = require('node:fs');
    fs.appendFileSync('/runs/all', '.');
    const run = fs.readFileSync('/runs/all').length;
    const write = () => {
      for (let line = 0; line < 200; line++) console.log('run', run, 'line', line);
      process.exit(run < 3 ? 1 : 0);
    };
    setTimeout(write, run === 1 ? 10000 : 0); // so that its log is followed`;
  await harness().cluster.create(
    podOf(namespace, 'restarts', {
      restartPolicy: 'OnFailure',
      volumes: [{ name: 'runs', emptyDir: {} }],
      containers: [{ ...container('app', script), volumeMounts: [{ name: 'runs', mountPath: '/runs' }] }],
    }),
  );
  const { stdout, stderr, code } = await runCtl(harness(), ['logs', 'restarts', '--follow', '-n', namespace]);
  const linesOf = (run: number) => Array.from({ length: 200 }, (_, line) => `run ${run} line ${line}\n`);
  if (code === 1) {
    // a busy node deletes logs before they can be read
    t.regex(
      stderr,
      /container app of pod restarts has (?:ended|restarted) before its log was read; lines may be missing/,
    );
    const printed = new Set(stdout.split(/(?<=\n)/));
    t.is(
      stdout,
      [1, 2, 3]
        .flatMap(linesOf)
        .filter((line) => printed.has(line))
        .join(''),
    );
    return;
  }
  t.is(code, 0, stderr);
  t.is(stdout, [1, 2, 3].flatMap(linesOf).join(''));
});

test('follows the pods of a Deployment while they are replaced', async (t) => {
  const { cluster } = harness();
  const namespace = await namespaceFor(t);
  const labels = { app: 'web' };
  await cluster.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [container('app', "console.log('started', process.env.HOSTNAME); setInterval(() => {}, 1000)")],
        },
      },
    },
  });
  const { plane, agentId } = harness();
  const command = plane.podLogs(agentId, { namespace, name: 'deploy/web', follow: true });
  const stream = await plane.openStream(command.key);
  stream.end(); // readers send nothing

  const started: string[] = [];
  const reading = (async () => {
    for await (const { bytes } of readLogRecords(stream)) started.push(...bytes.toString().split('\n').filter(Boolean));
  })().catch(() => undefined);
  await eventually('both pods have written', () => started.length === 2);
  t.is((await runCtl(harness(), ['restart', 'deploy', 'web', '-n', namespace])).code, 0);
  await eventually('the new pods have written', () => started.length === 4);
  t.is(new Set(started).size, 4);
  stream.destroy();
  await reading;
  t.like(await command.result, { ok: false });
});

test('a stalled reader keeps what is read in bounds', async (t) => {
  const { cluster, plane, agentId } = harness();
  const namespace = await namespaceFor(t);
  const script =
    "const b = Buffer.alloc(65536, 'x'.repeat(99) + '\\n'); const go = () => { while (process.stdout.write(b)); process.stdout.once('drain', go) }; go()";
  await cluster.create(podOf(namespace, 'floods', { containers: [container('app', script)] }));
  await phaseIs(namespace, 'floods', 'Running');
  const command = plane.podLogs(agentId, { namespace, name: 'floods', follow: true });
  const stream = await plane.openStream(command.key);
  stream.end(); // readers send nothing

  await sleep(5000); // time in which a reader without bounds would fill its memory
  t.true(stream.readableLength <= 512 * 1024);
  stream.destroy();
  t.like(await command.result, { ok: false });
  await cluster.delete({ apiVersion: 'v1', kind: 'Pod', namespace, name: 'floods' });
});
