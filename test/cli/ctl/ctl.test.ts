import test, { type ExecutionContext } from 'ava';
import type { Progress } from '../../../src/operation/progress.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { serve } from '../../source/test-repository.ts';
import { eventually } from '../../support/eventually.ts';
import { testProgram } from '../support/program.ts';

async function world(t: ExecutionContext, given: Parameters<typeof testProgram>[0] = {}) {
  const { plane, url, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  const program = testProgram({ ...given, env: { ...given.env, HELM_AGENT_SERVER: url } });
  return { ...program, plane, puppets, url };
}

const at = (second: number, rest: Omit<Progress, 'time'>): Progress => ({
  ...rest,
  time: `2026-01-01T10:00:0${second}.000Z`,
});

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const installation: Progress[] = [
  at(1, { step: 'load', state: 'running' }),
  at(2, { step: 'load', state: 'done', message: 'nginx 1.2.3' }),
  at(3, {
    step: 'wait',
    state: 'running',
    resources: [{ ...deployment, status: 'InProgress', reason: 'Replicas: 0/1' }],
  }),
  at(5, { step: 'wait', state: 'running', resources: [{ ...deployment, status: 'Current' }] }),
  at(5, { step: 'wait', state: 'done', message: '1 resource is ready' }),
];

const release = {
  name: 'web',
  namespace: 'shop',
  version: 2,
  info: { status: 'deployed', description: 'Install complete', notes: 'Visit\n\thttp://web\u001b[31m\n' },
};

test('install writes its progress to stderr and the release to stdout', async (t) => {
  const { run, puppets, stdout, stderr } = await world(t);
  const code = run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1', '--namespace', 'shop');
  const call = await puppets.call(0);
  for (const progress of installation) call.context.progress(progress);
  call.succeed({ release });
  t.is(await code, 0);
  t.is(
    stderr.text,
    `accepted
10:00:02  load          done  nginx 1.2.3
10:00:05  wait            Deployment/web Current
10:00:05  wait          done  1 resource is ready
`,
  );
  t.is(
    stdout.text,
    `NAME:         web
NAMESPACE:    shop
REVISION:     2
STATUS:       deployed
DESCRIPTION:  Install complete
NOTES:
Visit
\thttp://web\uFFFD[31m
`,
  );
});

test('a command is a part of the trace in the environment', async (t) => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  for (const [given, expected] of [
    [traceparent, traceparent],
    ['not valid\r\nx: y', undefined],
  ] as const) {
    const headers: Headers[] = [];
    const { run, puppets } = await world(t, {
      fetch: (url, init) => {
        if (init?.method === 'POST') headers.push(new Headers(init.headers));
        return fetch(url, init);
      },
      env: { TRACEPARENT: given },
    });
    const code = run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1');
    (await puppets.call(0)).succeed({ release });
    t.is(await code, 0);
    t.deepEqual(
      headers.map((one) => one.get('traceparent') ?? undefined),
      [expected],
    );
  }
});

test('a terminal shows a table that is redrawn', async (t) => {
  const { run, puppets, stdout, stderr } = await world(t, { isTerminal: true });
  const code = run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1');
  const call = await puppets.call(0);
  for (const progress of installation.slice(0, 3)) call.context.progress(progress);
  call.succeed({});
  t.is(await code, 0);
  const frames = stderr.text.split(/\u001b\[\d+A\u001b\[J/);
  t.is(
    frames.at(-1),
    `✓ load    1.0s  nginx 1.2.3
● wait
    Deployment/web  InProgress  Replicas: 0/1
`,
  );
  t.regex(stdout.text, /^NAME: +web\nNAMESPACE: +default\nREVISION: +1\n/);
  t.true(stderr.text.includes('\u001b[3A\u001b[J'));
});

test('a failure is printed with its code and position, and the exit code is 1', async (t) => {
  const { run, puppets, stdout, stderr } = await world(t);
  const code = run('ctl', 'upgrade', 'web', 'nginx', '--agent', 'edge-1');
  const position = { file: 'nginx/templates/a.yaml', line: 3, column: 7 };
  (await puppets.call(0)).fail(Object.assign(new Error('no value'), { code: 'render_failed', position }));
  t.is(await code, 1);
  t.is(stdout.text, '');
  t.is(stderr.text, 'accepted\nError: no value (render_failed)\n  at nginx/templates/a.yaml:3:7\n');
});

test('flags become parameters of the command, and the agent chooses the defaults', async (t) => {
  const { run, puppets } = await world(t, { files: { 'v.yaml': 'a: 1\nb: {c: x}\n', pw: 'secret\n', note: 'text' } });
  const codes = [
    run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1'),
    run(
      ...[
        'ctl',
        'install',
        'web2',
        'nginx',
        '--agent',
        'edge-1',
        '--repo',
        'https://charts.example',
        '--version',
        '^1',
      ],
      ...[
        '--username',
        'user',
        '--password-file',
        'pw',
        '-f',
        'v.yaml',
        '--set',
        'b.c=y,d=true',
        '--set-string',
        'e=1',
      ],
      ...['--set-json', 'f=[1]', '--set-file', 'g=note', '--set-literal', 'h=a,b', '--timeout', '90s', '--atomic'],
      ...[
        '--no-wait',
        '--no-wait-for-jobs',
        '--no-create-namespace',
        '--description',
        'why',
        '--upgrade',
        '-n',
        'shop',
      ],
    ),
  ];
  const calls = [await puppets.call(0), await puppets.call(1)].sort((a, b) =>
    String(a.payload.releaseName).localeCompare(String(b.payload.releaseName)),
  );
  t.deepEqual<unknown, unknown>(calls[0]?.payload, { namespace: 'default', releaseName: 'web', chartName: 'nginx' });
  t.deepEqual<unknown, unknown>(calls[1]?.payload, {
    namespace: 'shop',
    releaseName: 'web2',
    chartName: 'nginx',
    repoUrl: 'https://charts.example',
    chartVersion: '^1',
    repoUserName: 'user',
    repoPassword: 'secret',
    values: ['a: 1\nb: {c: x}\n'],
    set: [
      { kind: 'set-json', text: 'f=[1]' },
      { kind: 'set', text: 'b.c=y,d=true' },
      { kind: 'set-string', text: 'e=1' },
      { kind: 'set-file', text: 'g=note', files: { note: 'text' } },
      { kind: 'set-literal', text: 'h=a,b' },
    ],
    timeout: 90_000,
    atomic: true,
    wait: false,
    waitForJobs: false,
    createNamespace: false,
    description: 'why',
    upgrade: true,
  });
  for (const call of calls) call.succeed({});
  t.deepEqual(await Promise.all(codes), [0, 0]);
});

test('upgrade --install installs a release that does not exist', async (t) => {
  const { run, puppets } = await world(t);
  const code = run('ctl', 'upgrade', 'web', 'nginx', '--agent', 'edge-1', '--install');
  const call = await puppets.call(0);
  t.is(call.type, 'install_release');
  t.like(call.payload, { upgrade: true });
  call.succeed({});
  t.is(await code, 0);
});

test('--credentials-from names a Secret of the agent', async (t) => {
  const { run, puppets } = await world(t);
  const repository = ['--repo', 'https://charts.example', '--credentials-from', 'charts'];
  const code = run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1', ...repository);
  const call = await puppets.call(0);
  t.like(call.payload, { repoUrl: 'https://charts.example', credentialsFrom: { secret: 'charts' } });
  call.succeed({});
  t.is(await code, 0);
});

test('uninstall prints the resources that were kept', async (t) => {
  const { run, puppets, stdout } = await world(t);
  const code = run('ctl', 'uninstall', 'web', '--agent', 'edge-1', '-n', 'shop', '--no-wait');
  const call = await puppets.call(0);
  t.deepEqual<unknown, unknown>(call.payload, { namespace: 'shop', releaseName: 'web', wait: false });
  call.succeed({
    release: { ...release, info: { status: 'uninstalled', notes: 'Visit' } },
    info: 'These resources were kept:\n[Secret] a',
  });
  t.is(await code, 0);
  t.is(stdout.text, 'These resources were kept:\n[Secret] a\nrelease "web" uninstalled\n');
});

test('releases and agents are printed as tables', async (t) => {
  const { run, puppets, stdout, plane } = await world(t);
  const code = run('ctl', 'list', '--agent', 'edge-1');
  const chart = { metadata: { name: 'nginx', version: '1.2.3', appVersion: '9' } };
  const info = { status: 'deployed', last_deployed: '2026-01-01T10:00:00Z' };
  const named = { name: 'a-longer-name', namespace: 'b', version: 10, info: { status: 'failed' }, chart: {} };
  (await puppets.call(0)).succeed({ releases: [{ ...release, info, chart }, named] });
  t.is(await code, 0);
  t.is(
    stdout.text,
    [
      'NAME         \tNAMESPACE\tREVISION\tUPDATED                      \tSTATUS  \tCHART      \tAPP VERSION',
      'web          \tshop     \t2       \t2026-01-01 10:00:00 +0000 UTC\tdeployed\tnginx-1.2.3\t9          ',
      'a-longer-name\tb        \t10      \t-                            \tfailed  \tMISSING    \tMISSING    ',
      '',
    ].join('\n'),
  );
  stdout.text = '';
  t.is(await run('ctl', 'agents'), 0);
  t.is(
    stdout.text,
    `AGENT   VERSION  INSTANCE    CONNECTED AT\nedge-1  1.2.3    instance-1  ${plane.agents()[0]?.connectedAt ?? ''}\n`,
  );
});

test('forgets an agent that is not connected any more', async (t) => {
  const { run, stdout, stderr, plane } = await world(t);
  t.is(await run('ctl', 'forget-agent', 'edge-1'), 1);
  t.regex(stderr.text, /409: the agent edge-1 is connected; stop it or revoke it first/);
  stderr.text = '';
  t.is(await run('ctl', 'forget-agent', 'edge-9'), 1);
  t.regex(stderr.text, /404: no agent was ever connected as edge-9/);
  plane.install('edge-9', { releaseName: 'web', chartName: 'c' }, { deliverWithin: '1h' });
  t.is(await run('ctl', 'forget-agent', 'edge-9'), 0);
  t.is(stdout.text, 'agent edge-9 is forgotten; 1 command has ended\n');
});

test('Ctrl-C stops following, and the hint is a complete command to follow again', async (t) => {
  const { run, puppets, stdout, stderr, interrupt, interrupts, url } = await world(t);
  const code = run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1', '--server', url);
  const call = await puppets.call(0);
  await eventually('the command is accepted', () => stderr.text.includes('accepted'));
  interrupt();
  t.is(await code, 1);
  t.is(interrupts.size, 0);
  const [, key = '', server] =
    /The agent continues.*\n  helm-agent ctl watch (\S+) --server (\S+)\nto cancel it:\n  helm-agent ctl cancel \1 --server \2 --agent edge-1\n$/.exec(
      stderr.text,
    ) ?? [];
  t.is(server, url);
  t.false(call.context.signal.aborted);
  stderr.text = '';
  const again = run('ctl', 'follow', key);
  call.report('still there');
  call.succeed({});
  t.is(await again, 0);
  t.regex(stderr.text, /accepted\n.* still there\n/);

  stdout.text = '';
  t.is(await run('ctl', 'watch', key, '-o', 'json'), 0);
  const events = stdout.text.trimEnd().split('\n');
  t.deepEqual(
    events.map((line) => (JSON.parse(line) as { type: string }).type),
    ['accepted', 'status', 'result'],
  );
});

/** Sends requests, but reports that the connection was lost if a request is chosen. */
function losing(isLost: (body: string) => boolean): typeof fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (typeof init?.body !== 'string' || !isLost(init.body)) return response;
    throw new TypeError('fetch failed', { cause: new Error('other side closed') });
  };
}

test('a command whose connection was lost is sent again, and performed once', async (t) => {
  let posts = 0;
  const { run, puppets, stdout } = await world(t, { fetch: losing(() => ++posts < 3) });
  const code = run('ctl', 'uninstall', 'web', '--agent', 'edge-1');
  const call = await puppets.call(0);
  call.succeed({});
  t.is(await code, 0);
  t.is(stdout.text, 'release "web" uninstalled\n');
  t.deepEqual([posts, puppets.calls.length], [3, 1]);
});

test('says why a command could not be cancelled, and how to follow it again', async (t) => {
  const fetch = losing((body) => body.includes('cancel_command'));
  const { run, puppets, stdout, stderr, interrupt } = await world(t, { fetch });
  const code = run('ctl', 'status', 'web', '--watch', '--agent', 'edge-1');
  const call = await puppets.call(0);
  t.like(call.payload, { timeout: 900_000 }, 'it ends by itself then');
  call.report('a change');
  await eventually('the change is printed', () => stdout.text.includes('a change'));
  interrupt();
  t.is(await code, 1);
  t.regex(stderr.text, /\nCannot cancel the command: cannot reach .*: other side closed\nStopped following\. /);
});

for (const [flags, within] of [
  [['list-objects', 'pods', '--watch'], '5m'],
  [['list-objects', 'pods', '--watch', '--deliver-within', '1m'], '1m'],
  [['drift', 'web', '--watch', '--correct'], undefined],
] as const) {
  test(`ctl ${flags.join(' ')} that is continued waits for its agent: ${within ?? 'for 24 hours'}`, async (t) => {
    const sent: Record<string, unknown>[] = [];
    const recording: typeof fetch = (url, init) => {
      if (typeof init?.body === 'string') sent.push(JSON.parse(init.body) as Record<string, unknown>);
      return fetch(url, init);
    };
    const { run, puppets } = await world(t, { fetch: recording });
    const code = run('ctl', ...flags, '--agent', 'edge-1');
    const answer = { reported: 1, revision: 1, drift: [], unchanged: 1 };
    const first = await puppets.call(0);
    first.context.progress({ step: 'watch', state: 'running', time: '2026-01-01T10:00:00.000Z' });
    first.context.progress({ step: 'watch', state: 'done', time: '2026-01-01T10:15:00.000Z' });
    first.succeed(answer);
    (await puppets.call(1)).succeed(answer);
    t.is(await code, 0);
    t.is(sent[1]?.['deliverWithin'], within);
    t.not(sent[1]?.['key'], sent[0]?.['key']);
  });
}

test('a refusal of the control plane is an error', async (t) => {
  const { run, stderr } = await world(t);
  t.is(await run('ctl', 'list', '--agent', 'unknown'), 1);
  t.is(
    stderr.text,
    'Error: the control plane responded with 404: no agent is connected as unknown; ctl agents lists the agents\n',
  );
  stderr.text = '';
  t.is(await run('ctl', 'follow', 'nope'), 1);
  t.is(stderr.text, 'Error: the control plane responded with 404: no command has the key nope\n');
});

test('an error names a control plane that cannot be reached', async (t) => {
  const { run, stderr } = testProgram();
  t.is(await run('ctl', 'agents', '--server', 'http://127.0.0.1:9'), 1);
  t.regex(stderr.text, /^Error: cannot reach the control plane at http:\/\/127\.0\.0\.1:9: /);
});

test('an error says that a port does not serve TLS', async (t) => {
  const { run, stderr } = testProgram();
  const { port } = await testPlane(t);
  t.is(await run('ctl', 'agents', '--server', `https://127.0.0.1:${port}`), 1);
  t.regex(
    stderr.text,
    /^Error: cannot reach the control plane at https:\/\/127\.0\.0\.1:\d+: TLS with 127\.0\.0\.1:\d+ failed; use http:\/\/ if the port does not serve TLS \(\w+\)\n$/,
  );
});

test('a redirect is not followed, because it could lead to a plain connection', async (t) => {
  const { run, stderr } = testProgram();
  const { url, requests } = await serve(t, {
    '/api/agents': (_, response) => response.writeHead(307, { location: '/elsewhere' }).end(),
  });
  t.is(await run('ctl', 'agents', '--server', url), 1);
  t.regex(
    stderr.text,
    /redirects to another address \(307\); give the address of the control plane itself as --server/,
  );
  t.is(requests.length, 1);
});

test('a server that is not a control plane is an error', async (t) => {
  const { run, stderr } = testProgram();
  const { port } = await testPlane(t);
  t.is(await run('ctl', 'agents', '--server', `http://127.0.0.1:${port}/healthz?`), 1);
  t.regex(stderr.text, /does not respond like a control plane; check --server/);
});

test('an error about values names their file or flag, and nothing is sent', async (t) => {
  const { run, stderr, puppets } = await world(t, { files: { 'bad.yaml': 'a: [' } });
  const install = (...more: string[]) => run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1', ...more);
  t.is(await install('-f', 'bad.yaml'), 1);
  t.regex(stderr.text, /^Error: failed to parse bad\.yaml: /);
  t.is(await install('-f', 'none.yaml'), 1);
  t.regex(stderr.text, /open none\.yaml: no such file or directory/);
  t.is(await install('--set', 'a'), 1);
  t.regex(stderr.text, /--set data: key "a" has no value/);
  t.is(puppets.calls.length, 0);
});

test('the token is sent and never printed', async (t) => {
  const { url } = await testPlane(t, { apiToken: 'sentinel-token' });
  const { run, stdout, stderr } = testProgram({ files: { good: 'sentinel-token\n', bad: 'sentinel-wrong' } });
  t.is(await run('ctl', 'agents', '--server', url, '--token-file', 'good'), 0);
  t.is(await run('ctl', 'agents', '--server', url, '--token-file', 'bad'), 1);
  t.regex(stderr.text, /does not accept this token \(401\); --token-file must name a file with the token of its/);
  stderr.text = '';
  t.is(await run('ctl', 'agents', '--server', url), 1);
  t.regex(stderr.text, /requires a token \(401\); use --token-file/);
  t.false((stdout.text + stderr.text).includes('sentinel'));
});

test('an empty token file is refused', async (t) => {
  const { run, stderr } = testProgram({ files: { empty: '\n' } });
  t.is(await run('ctl', 'agents', '--token-file', 'empty'), 1);
  t.is(stderr.text, 'Error: --token-file (HELM_AGENT_TOKEN_FILE): empty is empty; write the token into it\n');
});

test('--deliver-within sets the time for an agent that is away', async (t) => {
  const { url } = await testPlane(t);
  const { run, stderr } = testProgram({ env: { HELM_AGENT_SERVER: url } });
  const install = async (time: string) => {
    stderr.text = '';
    const code = await run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1', '--deliver-within', time);
    return [code, stderr.text] as const;
  };
  const [expired, whileWaiting] = await install('50ms');
  t.is(expired, 1);
  t.regex(whileWaiting, /the agent edge-1 was not connected in time/);
  t.regex((await install('false'))[1], /no agent is connected as edge-1/);
  t.regex((await install('soon'))[1], /--deliver-within must be a duration above 0 .*, or false, not "soon"/);
});
