import test from 'ava';
import { testProgram } from './support/program.ts';

test('run takes its settings from flags', async (t) => {
  const { run, runs } = testProgram();
  const code = await run(
    ...['run', '--control-plane', 'wss://a.example/x', '--token-file', 't', '--agent-id', 'edge-1'],
    ...['--kubeconfig', 'k', '--listen', '0.0.0.0:8089', '--listen-insecure', '--local-charts', 'c'],
  );
  t.is(code, 0);
  t.deepEqual(runs, [
    {
      controlPlane: 'wss://a.example/x',
      tokenFile: 't',
      agentId: 'edge-1',
      kubeconfig: 'k',
      listen: { host: '0.0.0.0', port: 8089 },
      listenInsecure: true,
      allowNunjucks: false,
      localCharts: 'c',
    },
  ]);
});

test('run takes its settings from the environment, where a flag does not say otherwise', async (t) => {
  const env = {
    HELM_AGENT_CONTROL_PLANE: 'ws://a.example',
    HELM_AGENT_TOKEN_FILE: 't',
    HELM_AGENT_AGENT_ID: 'edge-1',
    HELM_AGENT_KUBECONFIG: 'k',
    HELM_AGENT_LISTEN: '8089',
    HELM_AGENT_LISTEN_INSECURE: 'true',
    HELM_AGENT_LOCAL_CHARTS: 'c',
  };
  const { run, runs } = testProgram({ env });
  t.is(await run('run', '--agent-id', 'edge-2'), 0);
  t.deepEqual(runs, [
    {
      controlPlane: 'ws://a.example',
      tokenFile: 't',
      agentId: 'edge-2',
      kubeconfig: 'k',
      listen: { host: '127.0.0.1', port: 8089 },
      listenInsecure: true,
      allowNunjucks: false,
      localCharts: 'c',
    },
  ]);
});

test('an agent is called as its machine where nothing else is said, and an empty variable says nothing', async (t) => {
  const { run, runs } = testProgram({ env: { HELM_AGENT_LISTEN: '1', HELM_AGENT_AGENT_ID: '' } });
  await run('run');
  t.deepEqual(runs, [
    { agentId: 'host-1', listen: { host: '127.0.0.1', port: 1 }, listenInsecure: false, allowNunjucks: false },
  ]);
});

test('a control plane takes its settings from flags and the environment', async (t) => {
  const { run, planes } = testProgram({ env: { HELM_AGENT_TOKEN_FILE: 't', HELM_AGENT_API_TOKEN_FILE: 'u' } });
  t.is(await run('control-plane', '--port', '9000', '--host', '0.0.0.0'), 0);
  t.is(await run('control-plane'), 0);
  const common = { tokenFile: 't', apiTokenFile: 'u', listenInsecure: false };
  t.deepEqual(planes, [
    { port: 9000, host: '0.0.0.0', ...common },
    { port: 8088, host: '127.0.0.1', ...common },
  ]);
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
  /--listen \(HELM_AGENT_LISTEN\): must be PORT or HOST:PORT/,
);
test(
  'an agent id',
  refuses,
  ['run', '--listen', '1', '--agent-id', 'a b'],
  {},
  /--agent-id \(HELM_AGENT_AGENT_ID\): must be letters/,
);
test(
  'a switch',
  refuses,
  ['run', '--listen', '1'],
  { HELM_AGENT_LISTEN_INSECURE: 'yes' },
  /HELM_AGENT_LISTEN_INSECURE\): must be true or false/,
);
test('a port', refuses, ['control-plane', '--port', '70000'], {}, /--port \(HELM_AGENT_PORT\): must be a port/);
test('a server', refuses, ['ctl', 'agents', '--server', 'x'], {}, /--server \(HELM_AGENT_SERVER\): must be an http/);
test('an unknown flag', refuses, ['run', '--nope'], {}, /unknown option '--nope'/);
test('an agent that is not named', refuses, ['ctl', 'list'], {}, /required option '--agent <id>'/);

for (const args of [
  ['run'],
  ['control-plane'],
  ['ctl', 'install'],
  ['ctl', 'upgrade'],
  ['ctl', 'uninstall'],
  ['ctl', 'list'],
  ['ctl', 'agents'],
  ['ctl', 'follow'],
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

test('without a command the help is printed', async (t) => {
  const { run, stderr } = testProgram();
  t.is(await run(), 1);
  t.true(stderr.text.includes('control-plane'));
});
