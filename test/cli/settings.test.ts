import test from 'ava';
import { explainListenError } from '../../src/cli/listen-error.ts';
import { testProgram } from './support/program.ts';

const files = { t: 'token\n', u: 'other', k: '{}', ca: 'x', crt: 'x', key: 'x' };
const folders = ['c'];

test('the address of a replica is that of a host, or of an IP address with or without brackets', async (t) => {
  const { run, planes } = testProgram({ files });
  for (const value of ['plane-0.plane:8089', '10.0.0.5:8089', '[fd00::5]:8089', 'fd00::5:8089']) {
    t.is(await run('control-plane', '--database-url-file', 't', '--replica-address', value), 0);
  }
  t.deepEqual(
    planes.map(({ replicaAddress }) => replicaAddress?.host),
    ['plane-0.plane', '10.0.0.5', 'fd00::5', 'fd00::5'],
  );
});

test('run takes its settings from flags', async (t) => {
  const { run, runs } = testProgram({ files, folders });
  const code = await run(
    ...['run', '--control-plane', 'wss://a.example/x, wss://b.example', '--token-file', 't', '--agent-id', 'edge-1'],
    ...['--control-plane-ca', 'ca', '--client-certificate', 'crt', '--client-key', 'key'],
    ...['--kubeconfig', 'k', '--listen', '0.0.0.0:8089', '--listen-insecure', '--local-charts', 'c'],
    ...[
      '--storage-driver',
      'configmap',
      '--health-port',
      '8081',
      '--memory-limit',
      '512',
      '--plain-http',
      '--deny-dns',
    ],
    ...['--post-renderers', 'a=/opt/a,b.c=/opt/b c'],
    '--allow-own-namespace',
    ...['--trust-releases', 'own', '--lookup', 'none'],
    ...['--allow-rights', 'read, logs'],
  );
  t.is(code, 0);
  t.deepEqual(runs, [
    {
      controlPlane: ['wss://a.example/x', 'wss://b.example'],
      controlPlaneCa: 'ca',
      clientCertificate: 'crt',
      clientKey: 'key',
      tokenFile: 't',
      insecureTransport: false,
      agentId: 'edge-1',
      kubeconfig: 'k',
      listen: { host: '0.0.0.0', port: 8089 },
      listenExec: false,
      listenInsecure: true,
      allowNunjucks: false,
      localCharts: 'c',
      denyDns: true,
      plainHttp: true,
      allowOwnNamespace: true,
      trustReleases: 'own',
      lookup: 'none',
      allowedRights: ['read', 'logs'],
      postRenderers: { a: '/opt/a', 'b.c': '/opt/b c' },
      storageDriver: 'configmap',
      healthPort: 8081,
      memoryLimit: 512,
    },
  ]);
});

test('run takes its settings from the environment if no flag is given', async (t) => {
  const env = {
    HELM_AGENT_CONTROL_PLANE: 'ws://a.example',
    HELM_AGENT_TOKEN_FILE: 't',
    HELM_AGENT_INSECURE_TRANSPORT: 'true',
    HELM_AGENT_AGENT_ID: 'edge-1',
    HELM_AGENT_KUBECONFIG: 'k',
    HELM_AGENT_LISTEN: '8089',
    HELM_AGENT_LISTEN_INSECURE: 'true',
    HELM_AGENT_LOCAL_CHARTS: 'c',
    HELM_AGENT_PLAIN_HTTP: 'true',
    HELM_AGENT_DENY_DNS: 'true',
    HELM_AGENT_TRUST_RELEASES: 'any',
    HELM_AGENT_ALLOW_RIGHTS: 'act',
    HELM_AGENT_STORAGE_DRIVER: 'secret',
    HELM_AGENT_HEALTH_PORT: '8081',
    HELM_AGENT_MEMORY_LIMIT_MB: '512',
  };
  const { run, runs } = testProgram({ env, files, folders });
  t.is(await run('run', '--agent-id', 'edge-2'), 0);
  t.deepEqual(runs, [
    {
      controlPlane: ['ws://a.example'],
      tokenFile: 't',
      insecureTransport: true,
      agentId: 'edge-2',
      kubeconfig: 'k',
      listen: { host: '127.0.0.1', port: 8089 },
      listenExec: false,
      listenInsecure: true,
      allowNunjucks: false,
      localCharts: 'c',
      denyDns: true,
      plainHttp: true,
      allowOwnNamespace: false,
      trustReleases: 'any',
      allowedRights: ['act'],
      storageDriver: 'secret',
      healthPort: 8081,
      memoryLimit: 512,
    },
  ]);
});

test('the name of the machine is the default agent id, and an empty variable counts as unset', async (t) => {
  const { run, runs } = testProgram({ env: { HELM_AGENT_LISTEN: '1', HELM_AGENT_AGENT_ID: '' } });
  await run('run');
  t.deepEqual(runs, [
    {
      insecureTransport: false,
      agentId: 'host-1',
      listen: { host: '127.0.0.1', port: 1 },
      listenExec: false,
      listenInsecure: false,
      allowNunjucks: false,
      denyDns: false,
      allowOwnNamespace: false,
      plainHttp: false,
    },
  ]);
});

test('a control plane takes its settings from flags and the environment', async (t) => {
  const { run, planes } = testProgram({ env: { HELM_AGENT_AGENTS_FILE: 't', HELM_AGENT_API_TOKEN_FILE: 'u' }, files });
  t.is(await run('control-plane', '--port', '9000', '--host', '0.0.0.0', '--retry-after', '2m'), 0);
  t.is(await run('control-plane'), 0);
  const common = {
    ...{ agentsFile: 't', apiTokenFile: 'u', listenInsecure: false },
    ...{ recordSessions: 'off', requireSecond: 'off', heartbeat: 30_000, maxConnections: 20_000 },
  };
  t.deepEqual(planes, [
    { port: 9000, host: '0.0.0.0', retryAfter: 120_000, ...common },
    { port: 8088, host: '127.0.0.1', retryAfter: 1000, ...common },
  ]);
});

test('a sandbox prints the path of its kubeconfig, and commands to continue with', async (t) => {
  const { run, sandboxes, stdout, stderr } = testProgram();
  t.is(await run('sandbox', '--port', '0', '--kubeconfig', 'my sandbox'), 0);
  t.is(await run('sandbox'), 0);
  t.deepEqual(sandboxes, [
    { port: 0, host: '127.0.0.1', kubeconfig: 'my sandbox' },
    { port: 7443, host: '127.0.0.1', kubeconfig: 'sandbox.kubeconfig' },
  ]);
  t.is(stdout.text, '/srv/my sandbox\n/srv/sandbox.kubeconfig\n');
  t.regex(stderr.text, /\n {2}helm-agent run --control-plane \S+ --agent-id \S+ --kubeconfig '\/srv\/my sandbox'\n/);
});

test('clients of an agent that dials a control plane need a token that it does not see', async (t) => {
  const { run, runs, stderr } = testProgram({ files: { t: 'one', same: 'one', other: 'two' } });
  const args = ['run', '--control-plane', 'wss://plane.example', '--token-file', 't', '--listen', '1'];
  t.is(await run(...args), 1);
  t.regex(stderr.text, /--listen-token-file \(HELM_AGENT_LISTEN_TOKEN_FILE\): the control plane sees the token/);
  t.is(await run(...args, '--listen-token-file', 'same'), 1);
  t.regex(stderr.text, /same has the token of --token-file/);
  t.is(await run('run', '--control-plane', 'wss://plane.example', '--listen-token-file', 'other'), 1);
  t.is(await run(...args, '--listen-token-file', 'other'), 0);
  t.is(await run(...args, '--listen-insecure'), 0);
  t.is(await run('run', '--token-file', 't', '--listen', '1'), 0);
  t.is(runs.length, 3);
});

test('shells for clients need a server and the right exec', async (t) => {
  const { run, runs, stderr } = testProgram();
  t.is(await run('run', '--listen', '1', '--listen-exec'), 1);
  t.regex(stderr.text, /--listen-exec \(HELM_AGENT_LISTEN_EXEC\): needs the right exec in --allow-rights/);
  t.is(await run('run', '--control-plane', 'wss://plane.example', '--listen-exec', '--allow-rights', 'exec'), 1);
  t.regex(stderr.text, /needs --listen/);
  t.is(await run('run', '--listen', '1', '--listen-exec', '--allow-rights', 'read,exec'), 0);
  t.is(runs.length, 1);
});

test('the files of tokens are checked before anything starts', async (t) => {
  const given = { files: { empty: ' \n', words: 'a b' }, folders: [] };
  const { run, runs, planes, stderr } = testProgram(given);
  const errorOf = async (...args: string[]) => {
    stderr.text = '';
    t.is(await run(...args), 1);
    return stderr.text;
  };
  const missing = 'open /none: no such file or directory; name a file that this user can read';
  t.is(
    await errorOf('control-plane', '--agents-file', '/none'),
    `Error: --agents-file (HELM_AGENT_AGENTS_FILE): ${missing}\n`,
  );
  t.is(
    await errorOf('run', '--listen', '1', '--token-file', '-'),
    'Error: --token-file (HELM_AGENT_TOKEN_FILE): must be a file, because it is read again for each connection\n',
  );
  t.is(
    await errorOf('control-plane', '--api-token-file', 'empty'),
    'Error: --api-token-file (HELM_AGENT_API_TOKEN_FILE): empty is empty; write the token into it\n',
  );
  t.is(
    await errorOf('run', '--listen', '1', '--token-file', 'words'),
    'Error: --token-file (HELM_AGENT_TOKEN_FILE): words must contain only the token: printable ASCII without spaces\n',
  );
  t.is(
    await errorOf('run', '--listen', '1', '--kubeconfig', '/none'),
    `Error: --kubeconfig (HELM_AGENT_KUBECONFIG): ${missing}\n`,
  );
  t.is(
    await errorOf('run', '--listen', '1', '--local-charts', '/none'),
    'Error: --local-charts (HELM_AGENT_LOCAL_CHARTS): /none is not a folder; create it, or name another\n',
  );
  t.deepEqual([...runs, ...planes], []);
});

for (const [code, message] of [
  ['EADDRINUSE', '127.0.0.1:80 is in use; stop the program that listens there, or choose another port with --port'],
  ['EACCES', 'no permission to listen on 127.0.0.1:80; choose a port above 1023 with --port'],
  ['EADDRNOTAVAIL', '127.0.0.1:80 is not an address of this machine; choose another with --host'],
] as const) {
  test(`an error explains why the program cannot listen: ${code}`, (t) => {
    const error = Object.assign(new Error(), { syscall: 'listen', code, address: '127.0.0.1', port: 80 });
    t.like(
      explainListenError(error, () => ({ port: '--port', host: '--host' })),
      { message },
    );
  });
}

test('an error that is not about listening stays as it is', (t) => {
  const error = new Error('other');
  t.is(
    explainListenError(error, () => ({ port: '--port', host: '--host' })),
    error,
  );
});

const refuses = test.macro({
  exec: async (t, args: string[], env: Record<string, string>, message: RegExp) => {
    const { run, runs, planes, stderr } = testProgram({ env });
    t.is(await run(...args), 1);
    t.regex(stderr.text, message);
    t.deepEqual([...runs, ...planes], []);
  },
  title: (name) => `an error names the setting: ${name ?? ''}`,
});

test(
  'no control plane',
  refuses,
  ['run'],
  {},
  /^Error: --control-plane \(HELM_AGENT_CONTROL_PLANE\): give .* --listen/,
);
test(
  'a post-renderer without the path of a program',
  refuses,
  ['run', '--listen', '1', '--post-renderers', 'a=relative'],
  {},
  /--post-renderers \(HELM_AGENT_POST_RENDERERS\): must be NAME=FILE, with the absolute path of a program/,
);
test(
  'a URL over HTTP',
  refuses,
  ['run', '--control-plane', 'http://a'],
  {},
  /--control-plane .*: must be a ws:\/\/ or wss:\/\/ URL/,
);
test(
  'a URL in the environment',
  refuses,
  ['run'],
  { HELM_AGENT_CONTROL_PLANE: 'x' },
  /HELM_AGENT_CONTROL_PLANE\): must be/,
);
test(
  'a listening address',
  refuses,
  ['run', '--listen', 'here'],
  {},
  /--listen \(HELM_AGENT_LISTEN\): must be PORT or HOST:PORT, with a port up to 65535/,
);
test(
  'an unknown storage driver',
  refuses,
  ['run', '--listen', '1', '--storage-driver', 'sql'],
  {},
  /--storage-driver \(HELM_AGENT_STORAGE_DRIVER\): must be secret or configmap/,
);
test(
  'an agent id',
  refuses,
  ['run', '--listen', '1', '--agent-id', 'a b'],
  {},
  /--agent-id \(HELM_AGENT_AGENT_ID\): must be at most 253 letters/,
);
test(
  'a switch',
  refuses,
  ['run', '--listen', '1'],
  { HELM_AGENT_LISTEN_INSECURE: 'yes' },
  /HELM_AGENT_LISTEN_INSECURE\): must be true or false/,
);
test(
  'a port',
  refuses,
  ['control-plane', '--port', '70000'],
  {},
  /--port \(HELM_AGENT_PORT\): must be a port number from 0 to 65535/,
);
test(
  'a time that agents do not accept',
  refuses,
  ['control-plane', '--retry-after', '2h'],
  {},
  /--retry-after \(HELM_AGENT_RETRY_AFTER\): must be at most 1h/,
);
for (const [flag, value] of [
  ['--heartbeat', '500ms'],
  ['--heartbeat', '10m'],
  ['--max-connections', '0'],
  ['--max-connections', '1e9'],
  ['--max-connections', 'many'],
] as const) {
  test(
    `${flag} ${value}`,
    refuses,
    ['control-plane', flag, value],
    {},
    flag === '--heartbeat' ? /must be from 1s to 2m/ : /must be a number from 16 to 1000000/,
  );
}
for (const [flag, value, range] of [
  ['--keep-commands', '0', 'from 1 to 100000'],
  ['--keep-commands', '100001', 'from 1 to 100000'],
  ['--keep-commands', 'all', 'from 1 to 100000'],
  ['--keep-commands', '1.5', 'from 1 to 100000'],
  ['--keep-mib', '0', 'from 1 to 1000000'],
  ['--keep-mib', '-1', 'from 1 to 1000000'],
  ['--keep-for', '0s', 'duration above 0'],
  ['--keep-for', '7', 'duration above 0'],
] as const) {
  test(`${flag} ${value}`, refuses, ['control-plane', flag, value], {}, new RegExp(`${flag} .*${range}`));
}
for (const value of [
  '8089',
  ':8089',
  'a',
  'a:0',
  'a:65536',
  'a:b:1',
  '[::1:1',
  'a b:1',
  'http://a:1',
  `${'a'.repeat(300)}:1`,
]) {
  test(
    `--replica-address ${value.slice(0, 20)}`,
    refuses,
    ['control-plane', '--database-url-file', 't', '--replica-address', value],
    {},
    /--replica-address \(HELM_AGENT_REPLICA_ADDRESS\): must be HOST:PORT, with a port from 1 to 65535/,
  );
}
test(
  'an address of replicas that share no database',
  refuses,
  ['control-plane', '--replica-address', 'a:1'],
  {},
  /--replica-address .*replicas share a database; name it with --database-url-file/,
);
test(
  'a token over ws:// to another machine',
  refuses,
  ['run', '--control-plane', 'ws://a.example', '--token-file', 't'],
  {},
  /--control-plane .*: refusing to send a token over ws:\/\/ to a\.example, .*; use wss:\/\/, or .* --insecure-transport/,
);
test(
  'credentials in a ws:// URL of another machine',
  refuses,
  ['run', '--control-plane', 'ws://user:secret@10.0.0.1:8088'],
  {},
  /refusing to send a token over ws:\/\/ to 10\.0\.0\.1:8088/,
);
test(
  'a token over http:// to another machine',
  refuses,
  ['ctl', 'agents', '--server', 'http://a.example:8088', '--token-file', 't'],
  {},
  /--server .*: refusing to send a token over http:\/\/ to a\.example:8088, .*; use https:\/\/, or/,
);
for (const [url, host] of [
  ['ws://a.example', 'a.example'],
  ['WS://A.EXAMPLE:8088', 'a.example:8088'],
  ['ws://localhost.example', 'localhost.example'],
  ['ws://127.0.0.1.example', '127.0.0.1.example'],
  ['ws://127.0.0.1@10.0.0.1', '10.0.0.1'],
  ['ws://0.0.0.0:1', '0.0.0.0:1'],
  ['ws://[::]:1', '[::]:1'],
  ['ws://[fe80::1]', '[fe80::1]'],
  ['ws://0x0a000001', '10.0.0.1'],
] as const) {
  const problem = `over ws:// (to|with) ${host.replaceAll(/[.[\]]/g, String.raw`\$&`)}, where others can read`;
  test(`an agent without a token at ${url}`, refuses, ['run', '--control-plane', url], {}, new RegExp(problem));
}
test(
  'one plain connection of several',
  refuses,
  ['run', '--control-plane', 'wss://a.example,ws://b.example'],
  {},
  /refusing to exchange commands over ws:\/\/ with b\.example/,
);
for (const args of [
  ['ctl', 'agents', '--server', 'http://a.example'],
  ['ctl', 'install', 'web', 'oci://b.example/web', '--agent', 'a', '--server', 'HTTP://a.example'],
]) {
  test(
    `${args.slice(0, 2).join(' ')} without a token over http://`,
    refuses,
    args,
    {},
    /--server .*: refusing to exchange commands over http:\/\/ with a\.example, .*; use https:\/\/, or .* --insecure-transport/,
  );
}
test(
  'helm through an agent over http://',
  refuses,
  ['helm', 'list'],
  { HELM_AGENT_AGENT: 'a', HELM_AGENT_SERVER: 'http://a.example' },
  /refusing to exchange commands over http:\/\/ with a\.example/,
);
test(
  'credentials in the URL of the REST API',
  refuses,
  ['ctl', 'agents', '--server', 'https://ada:secret@a.example'],
  {},
  /--server \(HELM_AGENT_SERVER\): must have no user name and password; use --token-file/,
);
test(
  'a token and a key',
  refuses,
  ['run', '--control-plane', 'ws://127.0.0.1:1', '--token-file', 't', '--enrolment-token-file', 'u'],
  {},
  /--enrolment-token-file .*: leave out --token-file: the agent proves its key instead/,
);
test(
  'a key without a control plane',
  refuses,
  ['run', '--listen', '1', '--key-file', 'u'],
  {},
  /--key-file .*: needs --control-plane/,
);
test(
  'no time for a rotation',
  refuses,
  ['run', '--control-plane', 'ws://127.0.0.1:1', '--key-file', 'u', '--key-rotation', '30'],
  {},
  /--key-rotation .*: must be a duration above 0/,
);
test(
  'no API token on an address that other machines can reach',
  refuses,
  ['control-plane', '--host', '0.0.0.0', '--agents-file', 't'],
  {},
  /--api-token-file .*: other machines can reach 0\.0\.0\.0, so users need a token/,
);
test('a server', refuses, ['ctl', 'agents', '--server', 'x'], {}, /--server \(HELM_AGENT_SERVER\): must be an http/);
test('an unknown flag', refuses, ['run', '--nope'], {}, /^Error: unknown flag: --nope\n/);
test('a missing agent', refuses, ['ctl', 'list'], {}, /--agent \(HELM_AGENT_AGENT\): name the agent/);

for (const args of [
  ['run'],
  ['control-plane'],
  ['sandbox'],
  ['agents', 'add'],
  ['agents', 'revoke'],
  ['agents', 'list'],
  ['ctl', 'install'],
  ['ctl', 'upgrade'],
  ['ctl', 'uninstall'],
  ['ctl', 'list'],
  ['ctl', 'agents'],
  ['ctl', 'watch'],
]) {
  test(`${args.join(' ')} --help has an example`, async (t) => {
    const { run, stdout } = testProgram();
    t.is(await run(...args, '--help'), 0);
    t.true(stdout.text.includes(`helm-agent ${args.join(' ')} `));
  });
}

test('--version prints the version', async (t) => {
  const { run, stdout } = testProgram();
  t.is(await run('--version'), 0);
  t.is(stdout.text, '1.2.3\n');
});

test('the help is printed if no command is given', async (t) => {
  const { run, stderr } = testProgram();
  t.is(await run(), 1);
  t.true(stderr.text.includes('control-plane'));
});

test('run reads the times of leader election, and refuses those that do not fit together', async (t) => {
  const { run, runs, stderr } = testProgram({ env: { HELM_AGENT_LEADER_ELECT: 'true' }, files, folders });
  const start = (...flags: string[]) => run('run', '--control-plane', 'ws://127.0.0.1:1', '--agent-id', 'a', ...flags);
  t.is(await start(), 0);
  t.is(await start('--leader-elect-lease-duration', '1m', '--leader-elect-retry-period', '500ms'), 0);
  t.deepEqual(
    runs.map(({ election }) => election),
    [
      { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2000 },
      { leaseDuration: 60_000, renewDeadline: 10_000, retryPeriod: 500 },
    ],
  );
  t.is(await start('--leader-elect-lease-duration', '5s'), 1);
  t.is(await start('--leader-elect-renew-deadline', '2400ms'), 1);
  t.is(await start('--leader-elect-lease-duration', '15500ms'), 1);
  t.is(await start('--leader-elect-retry-period', 'soon'), 1);
  t.is(await start('--journal', 'memory'), 1);
  t.is(await start('--listen', '0'), 1);
  const duration = '--leader-elect-lease-duration (HELM_AGENT_LEADER_ELECT_LEASE_DURATION)';
  const period = '--leader-elect-retry-period (HELM_AGENT_LEADER_ELECT_RETRY_PERIOD)';
  const elect = '--leader-elect (HELM_AGENT_LEADER_ELECT)';
  t.deepEqual(stderr.text.trimEnd().split('\n'), [
    `Error: ${duration}: the lease duration must be more than the renew deadline`,
    `Error: ${duration}: the renew deadline must be more than 1.2 times the retry period`,
    `Error: ${duration}: the lease duration must be whole seconds`,
    `Error: ${period}: must be a duration above 0, such as 15s`,
    `Error: ${elect}: needs --journal cluster`,
    `Error: ${elect}: needs --control-plane instead of --listen`,
  ]);
});
