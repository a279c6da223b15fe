import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Agent } from '../../../../src/cli/ctl/api-client.ts';
import { ApiError } from '../../../../src/cli/ctl/api-request.ts';
import { waitForAgent } from '../../../../src/cli/ctl/enrol/wait-for-agent.ts';
import { testPlane } from '../../../control-plane/support/plane.ts';
import { eventually } from '../../../support/eventually.ts';
import { testProgram } from '../../support/program.ts';

async function world(t: ExecutionContext) {
  const { plane, url } = await testPlane(t);
  return { plane, ...testProgram({ env: { HELM_AGENT_SERVER: url } }), agentUrl: url.replace('http', 'ws') };
}

/** Writes a chart that prints the values that the agent's chart gets. */
async function agentChart(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'templates'));
  await writeFile(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: helm-agent\nversion: 0.1.0\n');
  const text = `kind: Secret
metadata: {namespace: {{ .Release.Namespace }}}
stringData: {token: {{ .Values.enrolment.token }}, id: {{ .Values.agentId }}, url: {{ .Values.controlPlane.url }}}
`;
  await writeFile(join(folder, 'templates', 'secret.yaml'), text);
  return folder;
}

test('enrol prints the command that installs an agent', async (t) => {
  const { run, stdout, plane, agentUrl } = await world(t);
  t.is(await run('ctl', 'enrol', 'edge-1', '--no-wait', '--label', 'site=a,tier=b'), 0);
  const [words = '', token] = /^(.*)enrolment\.token=(hae_[\w-]{43})\n$/.exec(stdout.text)?.slice(1) ?? [];
  t.is(
    words,
    `helm install helm-agent deploy/helm-agent --namespace helm-agent --create-namespace --set-string controlPlane.url=${agentUrl} --set-string agentId=edge-1 --set-string `,
  );
  t.is(typeof token, 'string');
  t.deepEqual(plane.knownAgents()[0]?.enrolment, { states: ['invited'], labels: { site: 'a', tier: 'b' } });
});

test('a URL with several addresses and spaces stays one value', async (t) => {
  const { run, stdout } = await world(t);
  await run('ctl', 'enrol', 'edge-1', '--no-wait', '--control-plane', "wss://a,wss://b/'x y");
  t.true(stdout.text.includes(` --set-string 'controlPlane.url=wss://a\\,wss://b/'\\''x y' `));
});

test('the image, and the consent to a connection without encryption, are values of the chart', async (t) => {
  const { run, stdout } = await world(t);
  const options = ['--no-wait', '--control-plane', 'ws://10.0.0.7:8088', '--insecure-transport'];
  t.is(await run('ctl', 'enrol', 'edge-1', ...options, '--image', 'registry.example:5000/team/helm-agent:1.2'), 0);
  t.true(
    stdout.text.endsWith(
      ' --set-string image.repository=registry.example:5000/team/helm-agent --set-string image.tag=1.2 --set controlPlane.insecureTransport=true\n',
    ),
    stdout.text,
  );
});

const refusesOptions = test.macro({
  title: (name) => `nothing is created for ${name ?? ''}`,
  async exec(t, options: readonly string[], message: RegExp) {
    const { run, stderr, plane } = await world(t);
    t.is(await run('ctl', 'enrol', 'edge-1', '--no-wait', ...options), 1);
    t.regex(stderr.text, message);
    t.deepEqual(plane.knownAgents(), []);
  },
});

test('a URL that others can read', refusesOptions, ['--control-plane', 'ws://10.0.0.7'], /use wss:\/\//);
test(
  'a text in place of a URL',
  refusesOptions,
  ['--control-plane', 'wss://a,b'],
  /must be a ws:\/\/ or wss:\/\/ URL, not "b"/,
);
test('an image with a space', refusesOptions, ['--image', 'a b'], /--image must be a reference such as .*, not "a b"/);
test(
  'an image with a flag',
  refusesOptions,
  ['--image', '--set'],
  /--image must be a reference such as .*, not "--set"/,
);

for (const name of ['Bad NS', '', '-x', 'a'.repeat(64), 'a.b', 'a\u001b[2J']) {
  test(`the namespace ${JSON.stringify(name)}`, refusesOptions, ['-n', name], /^Error: invalid namespace "/);
}

test('a URL that only this machine can reach is printed with a warning, unless --control-plane says it', async (t) => {
  const { run, stderr, agentUrl } = await world(t);
  t.is(await run('ctl', 'enrol', 'edge-1', '--no-wait'), 0);
  t.is(
    stderr.text,
    `warning: pods do not reach ${agentUrl}, which is of this machine; --control-plane names a URL that they reach\n`,
  );
  stderr.text = '';
  t.is(await run('ctl', 'enrol', 'edge-2', '--no-wait', '--control-plane', agentUrl), 0);
  t.is(stderr.text, '');
});

test('--manifest prints the namespace and the chart, and ends the output before it waits', async (t) => {
  const { run, stdout, stderr, interrupt, interrupts } = await world(t);
  const code = run('ctl', 'enrol', 'edge-1', '--manifest', '--chart', await agentChart(t), '-n', 'agents');
  await eventually('it waits', () => stderr.text.includes('waiting for edge-1'));
  t.true(stdout.isEnded);
  t.regex(stdout.text, /^apiVersion: v1\nkind: Namespace\nmetadata:\n {2}name: "agents"\n---\n/);
  t.regex(stdout.text, /namespace: agents/);
  t.regex(stdout.text, /token: hae_[\w-]{43}, id: edge-1, url: ws:/);
  interrupt();
  t.is(await code, 1);
  t.regex(stderr.text, /Stopped waiting. The token is valid until 20.*; helm-agent ctl agents shows the agent\.\n$/);
  t.is(interrupts.size, 0);
});

test('--manifest names a chart that is not there', async (t) => {
  const { run, stderr } = await world(t);
  t.is(await run('ctl', 'enrol', 'edge-1', '--manifest', '--chart', 'none'), 1);
  t.regex(stderr.text, /there is no chart at none on this machine; name the chart of the agent with --chart/);
});

test('a wrong time is refused before anything is asked', async (t) => {
  const { run, stderr, plane } = await world(t);
  t.is(await run('ctl', 'enrol', 'edge-1', '--expires-in', '10'), 1);
  t.regex(stderr.text, /--expires-in must have a unit/);
  t.deepEqual(plane.knownAgents(), []);
});

test('revoke-agent and accept-agent say what they did, or why not', async (t) => {
  const { run, stdout, stderr } = await world(t);
  t.is(await run('ctl', 'accept-agent', 'edge-1'), 1);
  t.regex(stderr.text, /404: no agent waits as edge-1/);
  await run('ctl', 'enrol', 'edge-1', '--no-wait');
  stdout.text = '';
  t.is(await run('ctl', 'revoke-agent', 'edge-1'), 0);
  t.is(stdout.text, 'agent edge-1 is revoked\n');
  t.is(await run('ctl', 'revoke-agent', 'edge-1'), 1);
  t.regex(stderr.text, /404: no agent has enrolled or was invited as edge-1/);
});

/** Waits for an agent that is in one state after the other. */
async function wait(agents: Array<Partial<Agent> | Error>) {
  const { stderr } = testProgram();
  const left = [...agents];
  const client = {
    agent: () => {
      const next = left.length > 1 ? left.shift() : left[0];
      return next instanceof Error ? Promise.reject(next) : Promise.resolve({ agentId: 'edge-1', ...next });
    },
  };
  const options = { client, stderr, onInterrupt: () => () => undefined, programName: 'helm-agent' };
  const code = await waitForAgent('edge-1', { ...options, expiresAt: '2026-01-01T01:00:00Z', intervalMs: 1 });
  return { code, text: stderr.text };
}

test('waiting shows each state once, and ends when the agent is healthy', async (t) => {
  const enrolled = { enrolment: { states: ['enrolled'] } };
  const invited = { connected: false, enrolment: { states: ['invited'] } };
  const { code, text } = await wait([
    invited,
    new ApiError('away', true),
    { ...invited, enrolment: { states: ['invited'], problem: 'the token is wrong\u001b[2J' } },
    { connected: false, enrolment: { states: ['pending'] } },
    { connected: false, ...enrolled },
    { connected: true, ...enrolled },
    { connected: true, ...enrolled, cluster: { reachable: false, reason: 'no route' } },
    { connected: true, ...enrolled, cluster: { reachable: true }, version: '1' },
  ]);
  t.is(code, 0);
  t.is(
    text.replaceAll('\ufffd[2J', ''),
    `waiting for edge-1; the token is valid until 2026-01-01T01:00:00Z
waiting for edge-1; the token is valid until 2026-01-01T01:00:00Z; its last attempt was refused: the token is wrong
edge-1 has enrolled, and waits until it is accepted: helm-agent ctl accept-agent edge-1
edge-1 has enrolled, and is not connected
edge-1 is connected
edge-1 is connected, but does not reach its API server: no route
edge-1 is healthy (version 1)
`,
  );
});

test('waiting ends when the token has ended, and when the agent does not say how its cluster is', async (t) => {
  const ended = await wait([{ connected: false, enrolment: { states: [] } }]);
  t.deepEqual(ended, { code: 1, text: 'the token of edge-1 has ended; enrol it again\n' });
  const silent = await wait([{ connected: true, enrolment: { states: ['enrolled'] } }]);
  t.is(silent.code, 0);
});
