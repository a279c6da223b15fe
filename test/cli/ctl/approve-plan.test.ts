import test, { type ExecutionContext } from 'ava';
import type { CommandType } from '../../../src/protocol/commands/index.ts';
import { verifyApproval } from '../../../src/signatures/approval-statement.ts';
import { sshLineOf } from '../../../src/signatures/public-key.ts';
import { pemSigner } from '../../../src/signatures/signer.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { newPrivateKey, newSigner } from '../../signatures/support/keys.ts';
import { testProgram } from '../support/program.ts';

const aliceKey = newPrivateKey();
const alice = pemSigner(aliceKey).publicKey;

const digestOf = (text: string) => text.repeat(64);
const pod = (image: string) => ({ containers: [{ name: 'a', image }] });
const planned = (text: string, image = 'registry.example.com/web:2') => ({
  ...{ plan: `shop/web@${text.repeat(12)}`, digest: digestOf(text), expires: '2026-01-03T03:04:05.000Z' },
  ...{ action: 'upgrade', revision: 3, base: { version: 2, status: 'deployed' }, chart: 'web 1.2.3' },
  ...{ crds: [], hooks: [], unchanged: 2, approvals: [] },
  hookDifferences: [
    {
      change: 'added',
      apiVersion: 'batch/v1',
      kind: 'Job',
      name: 'j',
      fields: [{ path: 'spec', after: { template: { spec: pod('hook:1') } } }],
    },
  ],
  differences: [
    {
      ...{ change: 'changed', apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
      fields: [{ path: 'spec.template.spec.containers[name=a].image', before: 'old:1', after: image }],
    },
    {
      ...{ change: 'added', apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', namespace: 'shop', name: 'r' },
      fields: [{ path: 'rules', after: [{ verbs: ['*'] }] }],
    },
  ],
});

const agentSigners = [newSigner(), newSigner()];
const lineOf = (agent: number, signer = agent) =>
  `edge-${agent + 1} ${sshLineOf((agentSigners[signer] ?? newSigner()).publicKey)}\n`;

/** Files with the keys of agents. */
const keyFiles = {
  'agents.pub': `# keys of agents\n${lineOf(0)}${lineOf(1, 0)}${lineOf(1)}`,
  'swapped.pub': `${lineOf(0, 1)}${lineOf(1, 0)}`,
  'first.pub': lineOf(0),
  'wrong.pub': `${lineOf(0)}edge-2 ssh-rsa AAAA\n`,
};

async function world(t: ExecutionContext) {
  const { plane, url, agentUrl } = await testPlane(t);
  const agents = await Promise.all(
    ['edge-1', 'edge-2'].map(async (agentId, index) => {
      const options = { controlPlaneUrl: agentUrl, agentId, resultSigner: agentSigners[index] };
      const { puppets } = await testAgent(t, options);
      await plane.waitForAgent(agentId);
      return puppets;
    }),
  );
  const program = testProgram({ files: { 'alice.pem': aliceKey, ...keyFiles }, env: { HELM_AGENT_SERVER: url } });
  /** Ends a command of an agent with success, and returns its payload. */
  const answer = async (agent: number, index: number, type: CommandType, fields: object) => {
    const call = await agents[agent]?.call(index);
    t.is(call?.type, type);
    call?.succeed(fields);
    return call?.payload as { plan: string; approval: string };
  };
  return { ...program, answer };
}

const plans = [`edge-1=shop/web@${digestOf('a')}`, `edge-2=shop/web@${digestOf('b')}`];
const sign = ['--sign-key', 'alice.pem'];
const kept = { plan: 'shop/web@a', approvals: [{ by: ['alice'] }] };

test('get-plan shows images, roles and approvals, and how to approve', async (t) => {
  const { run, answer, stdout } = await world(t);
  const code = run('ctl', 'get-plan', `shop/web@${'a'.repeat(12)}`, '--agent', 'edge-1');
  const approvals = [
    { by: ['bob'], expires: '2026-01-03T02:00:00.000Z' },
    { by: [], problem: 'it is old\n' },
  ];
  await answer(0, 0, 'get_plan', { ...planned('a'), approvals, annotated: true });
  t.is(await code, 0);
  t.regex(stdout.text, /^IMAGES:\n {2}hook:1\n {2}registry\.example\.com\/web:2\nROLES:\n {2}added Role shop\/r$/m);
  t.regex(
    stdout.text,
    /^APPROVALS:\n {2}approved by bob until 2026-01-03T02:00:00\.000Z\n {2}does not count: it is old/m,
  );
  t.regex(stdout.text, /^ {2}approved by the annotation of its Secret$/m);
  t.true(stdout.text.includes(`ctl approve-plan shop/web@${digestOf('a')} --agent edge-1 --sign-key FILE\n`));
});

test('one signature approves equal plans of several agents', async (t) => {
  const { run, answer, stdout } = await world(t);
  const code = run('ctl', 'approve-plan', ...plans, ...sign);
  await answer(0, 0, 'get_plan', planned('a'));
  await answer(1, 0, 'get_plan', planned('b'));
  const { approval } = await answer(0, 1, 'approve_plan', kept);
  const second = await answer(1, 1, 'approve_plan', kept);
  t.is(await code, 0);
  t.is(second.approval, approval);
  for (const [index, text] of ['a', 'b'].entries()) {
    const plan = { agentId: `edge-${index + 1}`, plan: `shop/web@${digestOf(text)}` };
    const { signers, issuedAt, expiresAt } = verifyApproval(approval, plan, [alice], undefined);
    t.is(signers.length, 1);
    t.is(expiresAt - issuedAt, 24 * 3_600_000);
  }
  t.regex(stdout.text, /edge-2: approved shop\/web@b+; its approvals are by alice/);
});

test('each agent must have signed its plan with its own key', async (t) => {
  const { run, answer, stdout } = await world(t);
  const code = run('ctl', 'approve-plan', ...plans, ...sign, '--agent-key', 'agents.pub');
  await answer(0, 0, 'get_plan', planned('a'));
  await answer(1, 0, 'get_plan', planned('b'));
  await answer(0, 1, 'approve_plan', kept);
  await answer(1, 1, 'approve_plan', kept);
  t.is(await code, 0);
  t.regex(stdout.text, /edge-2: approved/);
});

test('the key of one agent does not count for another', async (t) => {
  const { run, answer, stderr } = await world(t);
  const code = run('ctl', 'approve-plan', ...plans, ...sign, '--agent-key', 'swapped.pub');
  await answer(0, 0, 'get_plan', planned('a'));
  t.is(await code, 1);
  t.regex(stderr.text, /a result that the agent has not sent: it has no signature of the key of the agent/);
});

test('an agent without a key in the file is refused', async (t) => {
  const { run, answer, stderr } = await world(t);
  const code = run('ctl', 'approve-plan', ...plans, ...sign, '--agent-key', 'first.pub');
  await answer(0, 0, 'get_plan', planned('a'));
  await answer(1, 0, 'get_plan', planned('b'));
  t.is(await code, 1);
  t.regex(stderr.text, /--agent-key has no key of edge-2/);
});

test('a line of a file with keys that cannot be read is an error', async (t) => {
  const { run, stderr } = await world(t);
  t.is(await run('ctl', 'approve-plan', ...plans, ...sign, '--agent-key', 'wrong.pub'), 1);
  t.regex(stderr.text, /wrong\.pub has a line for "edge-2" whose key must be one line with an ssh-ed25519 key/);
});

test('plans that would change something else are not approved together', async (t) => {
  const { run, answer, stderr } = await world(t);
  const code = run('ctl', 'approve-plan', ...plans, ...sign);
  await answer(0, 0, 'get_plan', planned('a'));
  await answer(1, 0, 'get_plan', planned('b', 'evil:1'));
  t.is(await code, 1);
  t.regex(stderr.text, /edge-2: the plan shop\/web@b+ would not change the same as shop\/web@a+ of edge-1/);
});

test('a plan with another digest than the one to approve is not approved', async (t) => {
  const { run, answer, stderr } = await world(t);
  const code = run('ctl', 'approve-plan', `shop/web@${digestOf('a')}`, '--agent', 'edge-1', ...sign);
  await answer(0, 0, 'get_plan', planned('b'));
  t.is(await code, 1);
  t.regex(stderr.text, /edge-1: the agent has shown another plan than shop\/web@a+/);
});

test('an agent that refuses an approval does not hinder the others', async (t) => {
  const { run, answer, stdout, stderr } = await world(t);
  const code = run('ctl', 'approve-plan', ...plans, ...sign);
  await answer(0, 0, 'get_plan', planned('a'));
  await answer(1, 0, 'get_plan', planned('b'));
  await answer(0, 1, 'approve_plan', {});
  await answer(1, 1, 'approve_plan', kept);
  t.is(await code, 1);
  t.regex(stderr.text, /^Error: /);
  t.regex(stdout.text, /edge-2: approved/);
});

const wrong = test.macro(async (t, args: string[], message: RegExp) => {
  const { run, stderr } = testProgram({ files: { 'alice.pem': aliceKey } });
  t.not(await run('ctl', 'approve-plan', ...args), 0);
  t.regex(stderr.text, message);
});
test('the start of a digest is not approved', wrong, ['shop/web@3f9c2a7b81d4', '--agent', 'a', ...sign], /all 64 char/);
test('an approval needs a key', wrong, [...plans], /--sign-key \(HELM_AGENT_SIGN_KEY\): name the file/);
test('an approval needs an end', wrong, [...plans, ...sign, '--valid-for', 'ever'], /--valid-for must be a duration/);
