import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { testAgent } from '../../agent/support/agent.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { testProgram } from '../support/program.ts';

async function world(t: ExecutionContext) {
  const { plane, url, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  return { ...testProgram({ env: { HELM_AGENT_SERVER: url, HELM_AGENT_AGENT: 'edge-1' } }), puppets };
}

const durations: [flags: string[], text: RegExp][] = [
  [
    ['install', 'web', 'x', '--timeout', '5'],
    /^Error: --timeout must have a unit, not "5": write --timeout 5s for seconds\n$/,
  ],
  [
    ['install', 'web', 'x', '--timeout', '0s'],
    /^Error: --timeout must be a duration above 0 .*, such as 90s or 5m, not "0s"\n$/,
  ],
  [['upgrade', 'web', 'x', '--timeout=200h'], /^Error: --timeout .* at most 168h, .* not "200h"\n$/],
  [['upgrade', 'web', 'x', '--timeout', ''], /^Error: --timeout .* not ""\n$/],
  [['install', 'web', 'x', '--hook-timeout', 'soon'], /^Error: --hook-timeout .* not "soon"\n$/],
  [['install', 'web', 'x', '--step-timeout', 'wait=3m,apply=5'], /write --step-timeout apply=5s for seconds\n$/],
  [['install', 'web', 'x', '--progress-deadline', '-1m'], /^Error: --progress-deadline .* not "-1m"\n$/],
  [['install', 'web', 'x', '--settle', 'nothing'], /^Error: --settle .* or 5m, or none, not "nothing"\n$/],
  [['install', 'web', 'x', '--fail-grace', '1y'], /^Error: --fail-grace .* not "1y"\n$/],
  [['install', 'web', 'x', '--recover-after', '1'], /^Error: --recover-after must have a unit/],
  [['install', 'web', 'x', '--deliver-within', 'true'], /^Error: --deliver-within .* or false, not "true"\n$/],
  [['status', 'web', '--watch', '--timeout', '7'], /write --timeout 7s for seconds\n$/],
  [['plan', 'upgrade', 'web', 'x', '--timeout', '7'], /write --timeout 7s for seconds\n$/],
];

const others: [flags: string[], text: RegExp][] = [
  [['list', '--max', 'many'], /^Error: invalid argument "many" for "-m, --max" flag: strconv.ParseInt/],
  [
    ['install', 'web', 'x', '-o', 'xml'],
    /^Error: invalid argument "xml" for "-o, --output" flag: invalid format type\n/,
  ],
  [
    ['install', 'web', 'x', '--server-side=maybe'],
    /^Error: --server-side: .*maybe. Valid values are true, false and auto\n$/,
  ],
  [
    ['install', 'web', 'x', '--crds', 'all'],
    /^Error: --crds must be one of skip, create, create-replace, not "all"\n$/,
  ],
  [['install', 'Web', 'x'], /^Error: release name check failed: release name "Web": invalid release name/],
  [['upgrade', 'a/b', 'x'], /^Error: release name is invalid: a\/b/],
  [['install', 'web', './none'], /^Error: there is no chart at .\/none on this machine;.* --on-agent\n$/],
  [['install', 'web', 'none.tgz'], /^Error: there is no archive none.tgz on this machine;/],
  [
    ['install', 'web', 'package.json', '--on-agent', '--repo', 'https://x.example'],
    /--on-agent and --repo exclude each other/,
  ],
  [['install', 'web', './package.json'], /does not appear to be a gzipped archive/],
  [
    ['apply-plan', 'demo/web@1', '-n', 'other'],
    /^Error: the plan demo\/web@1 is for namespace demo, not other; leave -n out\n$/,
  ],
];

for (const [flags, text] of [...durations, ...others]) {
  test(`ctl ${flags.join(' ')}: the error says what to write, and nothing is sent`, async (t) => {
    // a request would fail with another text
    const { run, stderr } = testProgram({
      env: { HELM_AGENT_SERVER: 'http://127.0.0.1:9', HELM_AGENT_AGENT: 'edge-1' },
    });
    t.is(await run('ctl', ...flags), 1);
    t.regex(stderr.text, text);
  });
}

test('a command needs an agent, from the flag or the environment', async (t) => {
  const { run, stderr } = testProgram({ env: { HELM_AGENT_SERVER: 'http://127.0.0.1:9' } });
  t.is(await run('ctl', 'list'), 1);
  t.is(stderr.text, 'Error: --agent (HELM_AGENT_AGENT): name the agent; helm-agent ctl agents lists them\n');
});

async function chartFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const chart = join(folder, 'web');
  await mkdir(join(chart, 'templates'), { recursive: true });
  await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  return chart;
}

for (const verb of [['install'], ['upgrade'], ['template'], ['diff'], ['plan', 'install']]) {
  test(`ctl ${verb.join(' ')} sends a folder of this machine`, async (t) => {
    const { run, puppets } = await world(t);
    const chart = await chartFolder(t);
    const code = run('ctl', ...verb, 'web', chart);
    const call = await puppets.call(0);
    t.regex(String(Reflect.get(call.payload, 'chartDigest')), /^[0-9a-f]{64}$/);
    call.fail(Object.assign(new Error('no'), { code: 'internal' }));
    t.is(await code, 1);
  });
}

test('the name of a chart of the agent, a URL, and a path with --on-agent are sent as they are', async (t) => {
  const { run, puppets } = await world(t);
  const charts = [
    ['web'],
    ['docs'],
    ['https://x.example/web.tgz'],
    ['oci://x.example/web'],
    ['./team/web', '--on-agent'],
    ['a/b', '--repo', 'https://x.example'],
  ];
  for (const [index, [chart = '', ...flags]] of charts.entries()) {
    const code = run('ctl', 'install', 'web', chart, ...flags);
    const call = await puppets.call(index);
    t.like(call.payload, { chartName: chart });
    t.false('chartDigest' in call.payload, chart);
    call.succeed({});
    t.is(await code, 0);
  }
});

/** Starts a command on the release web.v1 of namespace shop, which the agent does not find. */
async function withoutRelease(t: ExecutionContext, ...command: string[]) {
  const { run, puppets, stderr } = await world(t);
  const code = run('ctl', ...command, 'web.v1', '-n', 'shop');
  (await puppets.call(0)).fail(Object.assign(new Error('release: not found'), { code: 'release_not_found' }));
  const [first, second] = [await puppets.call(1), await puppets.call(2)];
  const [own, all] = 'namespace' in first.payload ? [first, second] : [second, first];
  t.like(own, { type: 'list_releases', payload: { namespace: 'shop', filter: '^web\\.v1$' } });
  t.like(all, { type: 'list_releases', payload: { filter: '^web\\.v1$' } });
  t.false('namespace' in all.payload);
  return { own, all, code, stderr };
}

const inNamespace = (namespace: string) => ({
  name: 'web.v1',
  namespace,
  version: 1,
  info: { status: 'deployed' },
});

test('a release that is not found is looked for in the other namespaces', async (t) => {
  const { own, all, code, stderr } = await withoutRelease(t, 'history');
  own.succeed({ releases: [] });
  all.succeed({ releases: ['b', 'a', 'x;reboot'].map(inNamespace) });
  t.is(await code, 1);
  t.is(
    stderr.text,
    'release web.v1 is not in the namespace shop; a, b have one, use -n\nError: release: not found (release_not_found)\n',
  );
});

test('of many other namespaces three are named', async (t) => {
  const { own, all, code, stderr } = await withoutRelease(t, 'history');
  own.succeed({ releases: [] });
  all.succeed({ releases: Array.from({ length: 100 }, (_, index) => inNamespace(`a-${100 + index}`)) });
  t.is(await code, 1);
  t.is(
    stderr.text,
    'release web.v1 is not in the namespace shop; a-100, a-101, a-102 and at least 97 more have one, use -n\n' +
      'Error: release: not found (release_not_found)\n',
  );
});

test('a revision that is not found is not looked for in other namespaces, however many have the release', async (t) => {
  const { own, all, code, stderr } = await withoutRelease(t, 'get', 'all', '--revision', '9');
  own.succeed({ releases: [inNamespace('shop')] });
  all.succeed({ releases: Array.from({ length: 100 }, (_, index) => inNamespace(`a-${100 + index}`)) });
  t.is(await code, 1);
  t.is(stderr.text, 'Error: release: not found (release_not_found)\n');
});

test('a release that is not found is reported if releases cannot be listed', async (t) => {
  const { own, all, code, stderr } = await withoutRelease(t, 'history');
  own.fail(Object.assign(new Error('no'), { code: 'forbidden' }));
  all.succeed({ releases: [inNamespace('a')] });
  t.is(await code, 1);
  t.is(stderr.text, 'Error: release: not found (release_not_found)\n');
});
