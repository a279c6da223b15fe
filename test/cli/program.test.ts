import test from 'ava';
import { testProgram } from './support/program.ts';

const fails = test.macro({
  title: (_, line: string) => `explains what is wrong: helm-agent ${line}`,
  async exec(t, line: string, text: string) {
    const { run, stdout, stderr } = testProgram();
    t.is(await run(...line.split(' ')), 1);
    t.is(stderr.text, `Error: ${text}\n`);
    t.is(stdout.text, '');
  },
});

test(
  fails,
  'rnu',
  `unknown command "rnu" for "helm-agent"\n\nDid you mean this?\n\trun\n\nRun 'helm-agent --help' for usage.`,
);
test(fails, 'nosuch', `unknown command "nosuch" for "helm-agent"\nRun 'helm-agent --help' for usage.`);
test(
  fails,
  'ctl cancle',
  `unknown command "cancle" for "helm-agent ctl"\n\nDid you mean this?\n\tcancel\n\nRun 'helm-agent ctl --help' for usage.`,
);
test(
  fails,
  'agents lst',
  `unknown command "lst" for "helm-agent agents"\n\nDid you mean this?\n\tlist\n\nRun 'helm-agent agents --help' for usage.`,
);
test(
  fails,
  'run --agent_id x',
  `unknown flag: --agent_id\n\nDid you mean this?\n\t--agent-id\n\nRun 'helm-agent run --help' for usage.`,
);
test(fails, 'run -x', `unknown shorthand flag: 'x' in -x\nRun 'helm-agent run --help' for usage.`);
test(fails, 'control-plane --port', `flag needs an argument: --port\nRun 'helm-agent control-plane --help' for usage.`);
test(
  fails,
  'run --listen-insecure=maybe',
  `invalid argument "maybe" for "--listen-insecure" flag: strconv.ParseBool: parsing "maybe": invalid syntax\nRun 'helm-agent run --help' for usage.`,
);
test(fails, 'agents add', `"helm-agent agents add" requires 1 argument\n\nUsage:  helm-agent agents add ID [flags]`);
test(fails, 'run now', `"helm-agent run" accepts no arguments\n\nUsage:  helm-agent run [flags]`);
test(fails, 'ctl cancel key --mode never', '--mode must be one of undo, leave, park, superseded, not "never"');
test(
  fails,
  'ctl cancel key --agent a --deliver-within 5',
  '--deliver-within must have a unit, not "5": write --deliver-within 5s for seconds',
);

for (const group of [['ctl'], ['agents']]) {
  test(`${group.join(' ')} without the name of a command prints its help to stderr, and fails`, async (t) => {
    const { run, stdout, stderr } = testProgram();
    t.is(await run(...group), 1);
    t.true(stderr.text.includes(`helm-agent ${group.join(' ')} [command]\n`));
    t.is(stdout.text, '');
    t.is(await run(...group, '--help'), 0);
    t.is(stdout.text, stderr.text);
  });
}

for (const path of [
  ['run'],
  ['ctl', 'cancel'],
  ['ctl', 'install'],
  ['template'],
  ['show', 'values'],
  ['helm', 'list'],
]) {
  test(`help ${path.join(' ')} prints what --help prints`, async (t) => {
    const asked = testProgram();
    t.is(await asked.run('help', ...path), 0);
    const given = testProgram();
    t.is(await given.run(...path, '--help'), 0);
    t.is(asked.stdout.text, given.stdout.text);
    t.regex(asked.stdout.text, /^(?:Flags|Options):$/m);
  });
}

test('help of a command that does not exist fails', async (t) => {
  const { run, stderr } = testProgram();
  t.is(await run('help', 'nosuch'), 1);
  t.regex(stderr.text, /^Unknown help topic \[`nosuch`\]\nUsage:\n/);
});

test('the help names the variable and the default of a setting', async (t) => {
  const { run, stdout } = testProgram();
  await run('run', '--help');
  t.regex(
    stdout.text,
    /^ +--agent-id id +name of this agent .* \(default: the name of this machine, env: HELM_AGENT_AGENT_ID\)$/m,
  );
});

test('flags of a group may stand before the name of the command', async (t) => {
  const addresses: string[] = [];
  const { run, stdout } = testProgram({
    fetch(url) {
      addresses.push(url);
      return Promise.resolve(Response.json({ agents: [] }));
    },
  });
  t.is(await run('ctl', '--server', 'http://127.0.0.1:1', 'agents', '-o', 'json'), 0);
  t.is(await run('ctl', 'agents', '--server=http://127.0.0.1:2'), 0);
  t.deepEqual(addresses, ['http://127.0.0.1:1/api/agents', 'http://127.0.0.1:2/api/agents']);
  t.true(stdout.text.startsWith('[]\n'));
});

test('a flag that switches a setting off overrides its variable', async (t) => {
  const { run, runs } = testProgram({ env: { HELM_AGENT_PLAIN_HTTP: 'true', HELM_AGENT_LISTEN: '1' } });
  t.is(await run('run', '--plain-http=false'), 0);
  t.is(await run('run'), 0);
  t.deepEqual(
    runs.map(({ plainHttp }) => plainHttp),
    [false, true],
  );
});

test('-V prints the version, and a command does not have the flag', async (t) => {
  const { run, stdout, stderr } = testProgram();
  t.is(await run('-V'), 0);
  t.is(stdout.text, '1.2.3\n');
  t.is(await run('run', '-V'), 1);
  t.regex(stderr.text, /^Error: unknown shorthand flag: 'V' in -V\n/);
});
