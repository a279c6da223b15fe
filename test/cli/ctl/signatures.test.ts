import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { verifyCommand } from '../../../src/signatures/command-statement.ts';
import { sshLineOf } from '../../../src/signatures/public-key.ts';
import { signResult } from '../../../src/signatures/result-statement.ts';
import { pemSigner } from '../../../src/signatures/signer.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { rawAgent } from '../../control-plane/support/raw-agent.ts';
import { newPrivateKey, newSigner } from '../../signatures/support/keys.ts';
import { testProgram } from '../support/program.ts';

const userKey = newPrivateKey();
const user = pemSigner(userKey);
const agentSigner = newSigner();
const files = {
  'user.pem': userKey,
  'agent.pub': sshLineOf(agentSigner.publicKey),
  'other.pub': sshLineOf(newSigner().publicKey),
};

test('ctl signs the text of the payload that the agent gets', async (t) => {
  const { plane, url, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl, { packetFields: ['envelope'] });
  await plane.waitForAgent('edge-1');
  const { run } = testProgram({ files, env: { HELM_AGENT_SERVER: url } });
  const values = ['--set', 'a=1', '--set-string', '2=ä\u2028', '--set-json', 'x={"__proto__":[1e3,-0]}'];
  void run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1', '-n', 'shop', '--sign-key', 'user.pem', ...values);
  const { key = '', type, payload = '', envelope = '' } = await agent.packet('install_release');
  const packet = { agentId: 'edge-1', key, type, payload };
  const { signers } = verifyCommand(envelope, packet, [user.publicKey], undefined);
  t.is(signers.length, 1);
  agent.socket.terminate();
});

test('a command that is not signed is sent as before', async (t) => {
  const { plane, url, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl, { packetFields: ['envelope'], capabilities: ['release_status'] });
  await plane.waitForAgent('edge-1');
  const { run } = testProgram({ files, env: { HELM_AGENT_SERVER: url } });
  void run('ctl', 'status', 'web', '--agent', 'edge-1');
  t.deepEqual(Object.keys(await agent.packet('release_status')).sort(), ['key', 'payload', 'type']);
  agent.socket.terminate();
});

async function signingAgent(
  t: ExecutionContext,
  flags: string[],
  signer: typeof agentSigner | undefined = agentSigner,
) {
  const { plane, url, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl, resultSigner: signer });
  await plane.waitForAgent('edge-1');
  const program = testProgram({ files, env: { HELM_AGENT_SERVER: url } });
  const code = program.run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1', ...flags);
  return { ...program, plane, code, call: await puppets.call(0) };
}

test('ctl shows a result that the agent has signed', async (t) => {
  const { code, call, stdout } = await signingAgent(t, ['--agent-key', 'agent.pub']);
  call.succeed();
  t.is(await code, 0);
  t.regex(stdout.text, /NAME: +web/);
});

test('ctl shows a failure that the agent has signed', async (t) => {
  const { code, call, stderr } = await signingAgent(t, ['--agent-key', 'agent.pub']);
  call.fail(Object.assign(new Error('no chart'), { code: 'chart_not_found' }));
  t.is(await code, 1);
  t.regex(stderr.text, /no chart/);
});

test('a result of an agent that does not sign is refused', async (t) => {
  const { plane, url, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  const { run, stdout, stderr } = testProgram({ files, env: { HELM_AGENT_SERVER: url } });
  const code = run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1', '--agent-key', 'agent.pub');
  (await puppets.call(0)).succeed();
  t.is(await code, 1);
  t.regex(stderr.text, /a result that the agent has not sent: it is not signed; look at the cluster itself/);
  t.is(stdout.text, '');
});

test('a result with the signature of another agent is refused', async (t) => {
  const { code, call, stderr } = await signingAgent(t, ['--agent-key', 'other.pub']);
  call.succeed();
  t.is(await code, 1);
  t.regex(stderr.text, /it has no signature of the key of the agent/);
});

test('a key that cannot be used is an error before anything is sent, without its text', async (t) => {
  const { plane, url } = await testPlane(t);
  const { run, stderr } = testProgram({ files, env: { HELM_AGENT_SERVER: url } });
  t.not(await run('ctl', 'status', 'web', '--agent', 'edge-1', '--sign-key', 'agent.pub'), 0);
  t.regex(stderr.text, /agent\.pub has no private key in PEM without a password; make one with: openssl genpkey/);
  t.not(await run('ctl', 'status', 'web', '--agent', 'edge-1', '--agent-key', 'user.pem'), 0);
  t.regex(stderr.text, /user\.pem is a private key; give only its public key away/);
  t.false(stderr.text.includes('MC4'));
  t.is(plane.agents.length, 0);
});

interface Forgery {
  /** Changes what the agent signs. */
  signed?: object;
  /** The result that the control plane reports. */
  reported?: string;
}

const real = '{"ok":true,"release":{"name":"web","namespace":"default","version":1,"info":{"status":"deployed"}}}';

const forged = test.macro(async (t, { signed = {}, reported = real }: Forgery, message: RegExp) => {
  const { plane, url, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl, {});
  await plane.waitForAgent('edge-1');
  const { run, stderr } = testProgram({ files, env: { HELM_AGENT_SERVER: url } });
  const code = run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1', '--agent-key', 'agent.pub');
  const { key = '', type, payload = '' } = await agent.packet('install_release');
  const fingerprint = createHash('sha256').update(`${type}\n${payload}`).digest('hex');
  const facts = { agentId: 'edge-1', key, fingerprint, result: real, ...signed };
  const envelope = signResult(facts, agentSigner);
  agent.socket.send(JSON.stringify({ key, type: 'result', payload: reported, envelope }));
  t.is(await code, 1);
  t.regex(stderr.text, message);
  agent.socket.terminate();
});

test(
  'a result that was changed is refused',
  forged,
  { reported: real.replace(':1,', ':2,') },
  /changed after the agent/,
);
test('the result of another command is refused', forged, { signed: { key: 'x' } }, /of a command with another key/);
test('the result of another agent is refused', forged, { signed: { agentId: 'edge-2' } }, /of another agent/);
test(
  'the result of a command that was changed on its way is refused',
  forged,
  { signed: { fingerprint: '0'.repeat(64) } },
  /the one that was sent has been changed/,
);
test(
  'a failure whose signature is that of a success is refused',
  forged,
  { reported: '{"ok":false,"error":{"code":"internal","message":"no"}}' },
  /changed after the agent/,
);
