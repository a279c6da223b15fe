import test, { type ExecutionContext } from 'ava';
import { testPlane } from '../../../control-plane/support/plane.ts';
import { rawAgent } from '../../../control-plane/support/raw-agent.ts';
import { testProgram } from '../../support/program.ts';

async function world(t: ExecutionContext) {
  const made = await testPlane(t, { apiToken: 'root', insecure: true });
  await rawAgent(made.agentUrl, { capabilities: ['install_release', 'cancel_command'] });
  await rawAgent(made.agentUrl, { agentId: 'core-1' });
  const program = (token = 'root') =>
    testProgram({
      files: { token, chart: '' },
      env: { HELM_AGENT_SERVER: made.url, HELM_AGENT_TOKEN_FILE: 'token' },
    });
  const ctl = async (token: string, ...args: string[]) => {
    const { run, stdout, stderr } = program(token);
    return { code: await run('ctl', ...args), stdout: stdout.text, stderr: stderr.text };
  };
  return { ...made, ctl };
}

test('a token is created, used within its role, listed and revoked', async (t) => {
  const { ctl, plane } = await world(t);
  const limits = ['--agent', 'edge-*,a', '--namespace', 'shop', '-n', 'pay', '--release', 'web', '--selector', 'a=b'];
  const created = await ctl('root', 'token', 'create', 'ci', '--role', 'read,deploy', ...limits, '--expires', '12h');
  t.is(created.code, 0, created.stderr);
  t.regex(created.stdout, /^hau_[\w-]{43}\n$/);
  t.regex(created.stderr, /^Give this token to ci as its --token-file\. It is not shown again/);
  const [token] = plane.tokens.list();
  t.deepEqual(token?.roles, [
    {
      ...{ rights: ['read', 'deploy'], agents: ['edge-*', 'a'], labels: 'a=b' },
      ...{ namespaces: ['shop', 'pay'], releases: ['web'] },
    },
  ]);
  t.is(Date.parse(token?.expiresAt ?? '') - Date.parse(token?.createdAt ?? ''), 12 * 3_600_000);
  const { stdout } = await ctl('root', 'token', 'list');
  t.regex(stdout, /ID +NAME +EXPIRES AT +CREATED BY +ROLES/);
  t.regex(stdout, /ci .* api-token +read,deploy agents edge-\*,a labels a=b namespaces shop,pay releases web\n/);
  const me = await ctl(created.stdout.trim(), 'whoami');
  t.regex(me.stdout, /^ci, until 20.*\n {2}read,deploy agents edge/);
  t.regex((await ctl('root', 'token', 'revoke', 'ci')).stdout, /^token [0-9a-f]{12} of ci is revoked\n$/);
  const ended = await ctl(created.stdout.trim(), 'whoami');
  t.is(ended.code, 1);
  t.regex(ended.stderr, /does not accept this token \(401\).*one of ctl token create/);
});

test('a user gets what their role allows from ctl, and a reason for the rest', async (t) => {
  const { ctl, plane } = await world(t);
  const roles = [{ rights: ['deploy'], agents: ['edge-1'], namespaces: ['shop'] }];
  const { token } = await plane.tokens.create({ name: 'ci', roles });
  const agents = await ctl(token, 'agents');
  t.regex(agents.stdout, /edge-1/);
  t.notRegex(agents.stdout, /core-1/);
  const install = (agent: string, namespace: string) =>
    ctl(token, 'install', 'web', 'nginx', '--agent', agent, '-n', namespace);
  const elsewhere = await install('edge-1', 'pay');
  t.is(elsewhere.code, 1);
  t.regex(
    elsewhere.stderr,
    /403: ci may not send install_release to the agent edge-1 for the release "web" in the name/,
  );
  t.regex((await install('core-1', 'shop')).stderr, /404: no agent is connected as core-1/);
  for (const args of [
    ['token', 'list'],
    ['token', 'create', 'x', '--role', 'admin'],
    ['enrol', 'edge-1', '--no-wait'],
    ['forget-agent', 'edge-1'],
  ]) {
    const { code, stderr } = await ctl(token, ...args);
    t.is(code, 1);
    t.regex(stderr, /403: ci may not/, args.join(' '));
  }
  t.is(plane.tokens.list().length, 1);
});

const refuses = test.macro({
  title: (name) => `no token is created: ${name ?? ''}`,
  async exec(t, args: readonly string[], message: RegExp) {
    const { ctl, plane } = await world(t);
    const { code, stderr } = await ctl('root', 'token', 'create', ...args);
    t.is(code, 1);
    t.regex(stderr, message);
    t.deepEqual(plane.tokens.list(), []);
  },
});
test('without a role', refuses, ['ci'], /name the rights with --role/);
test('without a name', refuses, ['--role', 'read'], /NAME/);
test('with an unknown right', refuses, ['ci', '--role', 'rule'], /400: .*must have rights among read/);
test('with an empty limit', refuses, ['ci', '--role', 'read', '--agent', ''], /agents must have an item/);
test('with a wrong time', refuses, ['ci', '--role', 'read', '--expires', 'soon'], /expiresIn must be days such as 30d/);

test('a token that is not there is not revoked', async (t) => {
  const { ctl } = await world(t);
  const { code, stderr } = await ctl('root', 'token', 'revoke', 'ci');
  t.is(code, 1);
  t.regex(stderr, /no token has the name or the id "ci"/);
});
