import test, { type ExecutionContext } from 'ava';
import { fakeAgent } from '../../../control-plane/rollouts/support/fake-agent.ts';
import { FakeCluster } from '../../../control-plane/rollouts/support/fleet.ts';
import { testPlane } from '../../../control-plane/support/plane.ts';
import { eventually } from '../../../support/eventually.ts';
import { testProgram } from '../../support/program.ts';

async function world(t: ExecutionContext, count = 3, { isTerminal = false } = {}) {
  const made = await testPlane(t, { apiToken: 'root', insecure: true });
  const clusters = Array.from({ length: count }, () => new FakeCluster());
  for (const [index, cluster] of clusters.entries()) await fakeAgent(made.agentUrl, `edge-${index}`, cluster);
  const start = (token: string, files: Record<string, string>, args: readonly string[]) => {
    const program = testProgram({
      files: { token, ...files },
      env: { HELM_AGENT_SERVER: made.url, HELM_AGENT_TOKEN_FILE: 'token' },
      isTerminal,
    });
    const ended = program.run('ctl', 'rollout', ...args);
    return { ...program, ended };
  };
  const ctl = async (args: string, { token = 'root', files = {} } = {}) => {
    const { ended, stdout, stderr } = start(token, files, args.split(' '));
    return { code: await ended, stdout: stdout.text, stderr: stderr.text };
  };
  return { ...made, clusters, ctl, start };
}

const release = 'start web new --repo https://charts.example -n shop --soak none --id r1';

test('a rollout is started and followed until it has succeeded', async (t) => {
  const { ctl, clusters, plane } = await world(t);
  const { code, stderr } = await ctl(`${release} --agent edge-* --set replicas=2`);
  t.is(code, 0, stderr);
  t.regex(stderr, /^r1: web from new in the namespace shop, to 3 clusters\n/);
  t.regex(stderr, /\nwave 1: 1 updated\n(?:.*\n)*succeeded\n$/);
  t.true(clusters.every(({ chart }) => chart === 'new'));
  t.like(plane.rollouts.get('r1'), { releaseName: 'web', namespace: 'shop', chart: 'new' });
});

test('a rollout that fails ends with 1, and says why', async (t) => {
  const { ctl, clusters } = await world(t);
  for (const cluster of clusters) cluster.outcome = 'not_ready';
  const { code, stderr } = await ctl(`${release} --agent edge-*`);
  t.is(code, 1);
  t.regex(stderr, /edge-0 \w+: not_ready: Deployment shop\/web has 1 of 2 replicas ready/);
  t.regex(stderr, /failed: too many clusters of wave 1 have failed\n$/);
  const { stdout } = await ctl('status r1');
  t.regex(stdout, /✗ wave 1 {2}1 {2}1 reverted\n/);
  t.regex((await ctl('status r1 --clusters')).stdout, /^AGENT +WAVE +STAGE +REVISION +PROBLEM\nedge-0 +1 +reverted/);
});

test('a terminal shows one screen, which is redrawn', async (t) => {
  const { start } = await world(t, 3, { isTerminal: true });
  const { ended, stderr } = start('root', {}, `${release} --agent edge-*`.split(' '));
  t.is(await ended, 0);
  const screens = stderr.text.split(/\u001b\[\d+A\u001b\[J/);
  t.true(screens.length > 1);
  t.regex(screens.at(-1) ?? '', /^r1: web.*\n✓ wave 1 {2}1 {2}1 updated\n✓ wave 2 .*\n✓ wave 3 .*\nsucceeded\n$/);
});

test('a rollout that waits for a decision ends with 2 and the command for it', async (t) => {
  const { ctl, plane } = await world(t);
  const waiting = await ctl(`${release} --agent edge-* --approval --waves 1,rest`);
  t.is(waiting.code, 2);
  t.regex(waiting.stderr, /wave 2 waits until it is approved\nTo continue:\n {2}helm-agent ctl rollout approve r1 2\n/);
  t.is((await ctl('pause r1')).code, 0);
  t.regex((await ctl('status r1 -f')).stderr, /paused: paused by api-token\nTo continue:\n.*resume r1/);
  t.is((await ctl('resume r1')).code, 0);
  t.is((await ctl('approve r1 2 --follow')).code, 0);
  t.regex((await ctl('list')).stdout, /^ROLLOUT .*\nr1 +succeeded +2\/2 +3 updated +web +api-token +20/);
  t.is((await ctl('abort r1 --undo -f')).code, 1);
  t.like(plane.rollouts.get('r1'), { phase: 'aborted', clusters: { reverted: 3 } });
  t.regex((await ctl('retry r1')).stderr, /the rollout is aborted, so it cannot be retried/);
  t.like(await ctl('delete r1'), { stdout: 'rollout r1 is deleted\n', stderr: '' });
  t.is((await ctl('status r1')).code, 1);
});

test('a rollout in a file is started, and flags win over it', async (t) => {
  const { start, plane } = await world(t);
  const text = `
id: from-file
agents: [edge-*]
soak: false
waves: [{size: 2}, {}]
payload: {releaseName: web, namespace: shop, chartName: new, values: {replicas: 1}}
`;
  const args = ['start', '--file', 'r.yaml', '--id', 'r2', '--agent', 'edge-0', '-o', 'json', '-f', 'v.yaml'];
  const { ended, stdout, stderr } = start('root', { 'r.yaml': text, 'v.yaml': 'replicas: 2\n' }, args);
  t.is(await ended, 0, stderr.text);
  const events = stdout.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; payload: object });
  t.like(events.at(-1) ?? events, { type: 'rollout', payload: { id: 'r2', phase: 'succeeded' } });
  t.true(events.some(({ type }) => type === 'cluster'));
  t.deepEqual(
    plane.rollouts.clusters('r2').map(({ agentId }) => agentId),
    ['edge-0'],
  );
  const json = plane.rollouts.get('r2');
  t.is(json.waves.length, 2);
});

test('Ctrl-C stops following, and not the rollout', async (t) => {
  const { start, plane } = await world(t);
  const { ended, interrupt, stderr } = start('root', {}, `${release} --agent edge-* --soak 5m`.split(' '));
  await eventually('wave 1 soaks', () => /wave 1 soaks/.test(stderr.text));
  interrupt();
  t.is(await ended, 1);
  t.regex(
    stderr.text,
    /Stopped following\. The rollout continues; to follow it again:\n {2}helm-agent ctl rollout status r1 --follow\n$/,
  );
  t.is(plane.rollouts.get('r1').phase, 'running');
});

test('what does not fit is refused before anything is sent', async (t) => {
  const { ctl, plane } = await world(t, 1);
  const files = { 'list.yaml': '[1]', 'bomb.yaml': 'payload: x', 'deep.yaml': '['.repeat(50_000) };
  for (const [args, message] of [
    ['start', /name the release and its chart, or a --file/],
    ['start web', /expected NAME and CHART/],
    ['start web new', /name the agents with --agent or --selector/],
    ['start web new --agent a --waves 0.5', /--waves must be a number, or a share/],
    ['start web new --agent a --soak soon', /--soak must be a duration/],
    ['start web new --agent a --max-failures few', /--max-failures must be a number/],
    ['start Web! new --agent a', /release name/],
    ['start web new --file x --agent a', /--file has the release/],
    ['start --file none.yaml', /none\.yaml/],
    ['start --file list.yaml', /must have a rollout as a mapping/],
    ['start --file bomb.yaml', /payload must be a mapping/],
    ['start --file deep.yaml', /./],
    ['approve r1 0', /WAVE must be the number of a wave/],
    ['approve r1 1e9', /WAVE must be the number of a wave/],
    ['status ../../agents', /404: no rollout has this id/],
  ] as const) {
    const { code, stderr } = await ctl(args, { files });
    t.is(code, 1, args);
    t.regex(stderr, message, args);
  }
  t.deepEqual(plane.rollouts.list(), []);
});

test('a user who may not decide gets the reason', async (t) => {
  const { ctl, plane } = await world(t);
  await ctl(`${release} --agent edge-* --approval --no-wait`);
  const { token } = await plane.tokens.create({ name: 'kim', roles: [{ rights: ['read'] }] });
  t.is((await ctl('status r1', { token })).code, 0);
  t.regex((await ctl('abort r1 --undo', { token })).stderr, /403: kim may not send/);
});

test('a rollout with plans waits, shows what the clusters would change, and applies what is approved', async (t) => {
  const { ctl, clusters, plane } = await world(t);
  const [first] = clusters;
  if (first) first.differing = 'other';
  const waiting = await ctl(`${release} --agent edge-* --plan`);
  t.is(waiting.code, 2, waiting.stderr);
  t.regex(
    waiting.stderr,
    /plans wait until they are approved\nTo see the plans:\n {2}helm-agent ctl rollout plans r1\n/,
  );
  t.regex(waiting.stderr, /To approve them:\n {2}helm-agent ctl rollout approve r1 --plan [0-9a-f]{12},[0-9a-f]{12}\n/);
  const { stdout } = await ctl('plans r1');
  t.regex(stdout, /^GROUP: [0-9a-f]{32}\nCLUSTERS: 2, such as edge-1\nSTATE: waits for an approval\n/);
  t.regex(stdout, /ACTION: upgrade with new 1\.0\.0; 1 changed\n/);
  t.regex(stdout, /Deployment.*replicas/);
  t.false(stdout.includes('undefined'));
  t.regex(
    (await ctl('status r1')).stdout,
    /\? plan [0-9a-f]{12} {2}2 {2}objects: 1 changed {2}waits for an approval\n/,
  );
  t.regex((await ctl('approve r1 --plan 3f9c2a7b81d4')).stderr, /no group of plans "3f9c2a7b81d4"/);
  t.regex((await ctl('approve r1 1 --plan *')).stderr, /approve a wave, or plans with --plan, but not both/);
  t.regex((await ctl('approve r1')).stderr, /name the WAVE, or groups of plans with --plan/);
  t.true(clusters.every(({ chart }) => chart === 'old'));
  const approved = await ctl('approve r1 --plan * --follow');
  t.is(approved.code, 0, approved.stderr);
  t.like(plane.rollouts.get('r1'), { phase: 'succeeded', clusters: { updated: 3 } });
  t.regex((await ctl('plans r1')).stdout, /STATE: approved by api-token\n/);
  t.regex((await ctl('approve r1 --plan *')).stderr, /no plan waits for an approval/);
});

test('what agents say in their plans cannot draw on a terminal', async (t) => {
  const { ctl, clusters, start } = await world(t, 1, { isTerminal: true });
  const [cluster] = clusters;
  if (cluster) cluster.differing = 'a\u001b[2Jb\nGROUP: forged';
  await ctl(`${release} --agent edge-* --plan`);
  const { ended, stdout } = start('root', {}, ['plans', 'r1']);
  await ended;
  t.false(stdout.text.includes('\u001b[2J'));
  t.notRegex(stdout.text, /^GROUP: forged/m);
});
