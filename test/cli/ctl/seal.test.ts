import { generateKeyPairSync } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { Sealed } from '../../../src/protocol/sealed.ts';
import { sealingKeyLine, sealingKeyOf } from '../../../src/sealing/public-sealing-key.ts';
import { openSealed, type SealedPlace } from '../../../src/sealing/sealed-text.ts';
import { sshLineOf } from '../../../src/signatures/public-key.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { newSigner } from '../../signatures/support/keys.ts';
import { testProgram } from '../support/program.ts';

const password = 'hunter2-of-a-file';
const agentId = 'edge-1';

function newKey() {
  const { d = '', x = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  const publicKey = sealingKeyOf(Buffer.from(x, 'base64url'));
  return { d, x, publicKey, line: sealingKeyLine(publicKey) };
}

const own = newKey();
const other = newKey();

async function world(t: ExecutionContext) {
  const { plane, url, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl, agentId });
  await plane.waitForAgent(agentId);
  const files: Record<string, string> = {
    'db.yaml': `password: ${password}\n`,
    token: `${password}\n`,
    'edge-1.sealing': `${own.line} ${own.publicKey.id}\n`,
    'edge-1.pub': sshLineOf(newSigner().publicKey),
  };
  const program = testProgram({ files, env: { HELM_AGENT_SERVER: url, HELM_AGENT_AGENT: agentId } });
  const shown = { sealingKey: own.line, keyId: own.publicKey.id, created: '2026-01-02T03:04:05.000Z' };
  return {
    ...program,
    puppets,
    shown,
    opened: (place: Partial<SealedPlace> = {}) => openOf(program.stdout.text, place),
  };
}

function openOf(text: string, place: Partial<SealedPlace>): Promise<string> {
  const sealed = JSON.parse(text) as Sealed;
  const all = { agentId, namespace: 'shop', releaseName: 'web', purpose: 'values' as const, ...place };
  return openSealed(sealed, own, all);
}

const values = ['ctl', 'seal', 'web', '-n', 'shop', '-f', 'db.yaml'];

test('values are sealed to a key in a file, without a connection', async (t) => {
  const { run, opened, stdout, puppets } = await world(t);
  t.is(await run(...values, '--sealing-key', 'edge-1.sealing'), 0);
  t.is(await opened(), `password: ${password}\n`);
  t.false(stdout.text.includes(password));
  t.is(puppets.calls.length, 0);
});

test('credentials are sealed with their hosts', async (t) => {
  const { run, opened } = await world(t);
  const given = ['--credentials-for', 'ghcr.io/team', '--username', 'ci', '--password-file', 'token'];
  t.is(await run('ctl', 'seal', 'web', ...given, '--sealing-key', 'edge-1.sealing'), 0);
  const text = await opened({ namespace: 'default', purpose: 'credentials' });
  t.deepEqual(JSON.parse(text), { hosts: 'ghcr.io/team', username: 'ci', password });
});

test('a key that the control plane shows is believed if it has the fingerprint', async (t) => {
  const { run, opened, puppets, shown } = await world(t);
  const code = run(...values, '--sealing-key', own.publicKey.id);
  const call = await puppets.call(0);
  t.is(call.type, 'get_sealing_key');
  call.succeed(shown);
  t.is(await code, 0);
  t.is(await opened(), `password: ${password}\n`);
});

test('nothing is sealed to another key, or to one that nothing proves', async (t) => {
  const { run, puppets, stdout, stderr, shown } = await world(t);
  const code = run(...values, '--sealing-key', own.publicKey.id);
  (await puppets.call(0)).succeed({ ...shown, sealingKey: other.line });
  t.is(await code, 1);
  t.true(stderr.text.includes(`--sealing-key: the agent has the key ${other.publicKey.id}, not ${own.publicKey.id}`));

  t.is(await run(...values), 1);
  t.regex(stderr.text, /the control plane could show a key of its own/);
  const unsigned = run(...values, '--agent-key', 'edge-1.pub');
  (await puppets.call(1)).succeed(shown);
  t.is(await unsigned, 1);
  t.regex(stderr.text, /a result that the agent has not sent/);
  t.is(stdout.text, '');
});

const wrong = test.macro(async (t, args: readonly string[], message: RegExp) => {
  const { run, stdout, stderr } = await world(t);
  t.is(await run('ctl', 'seal', ...args), 1);
  t.regex(stderr.text, message);
  t.is(stdout.text, '');
  t.false(stderr.text.includes(password));
});

const key = ['--sealing-key', 'edge-1.sealing'];
test('nothing to seal', wrong, ['web', ...key], /name what to seal with -f FILE or --credentials-for HOSTS/);
test('a missing file', wrong, ['web', '-f', 'none', ...key], /--values: open none: no such file/);
test('no release', wrong, key, /requires 1 argument/);
test('a wrong name', wrong, ['a/b', '-f', 'db.yaml', ...key], /release name is invalid/);
test('a file without a key', wrong, ['web', '-f', 'db.yaml', '--sealing-key', 'token'], /token must have one line/);
test('credentials without a user', wrong, ['web', '--credentials-for', 'a.b', ...key], /need --username/);

test('install sends what was sealed', async (t) => {
  const { run, puppets, stdout, stderr, files } = await world(t);
  t.is(await run(...values, '--sealing-key', 'edge-1.sealing'), 0);
  files['db.sealed'] = stdout.text;
  const install = ['ctl', 'install', 'web', 'oci://a.b/web', '-n', 'shop'];
  t.is(await run(...install, '--sealed-values', 'db.yaml'), 1);
  t.regex(stderr.text, /--sealed-values: db\.yaml is not a sealed text; write it with ctl seal/);
  const given = ['--sealed-values', 'db.sealed', '--sealed-values', 'db.sealed', '--sealed-credentials', 'db.sealed'];
  const code = run(...install, ...given);
  const call = await puppets.call(0);
  const sealed: unknown = JSON.parse(files['db.sealed']);
  t.like(call.payload, { sealedValues: [sealed, sealed], sealedCredentials: sealed });
  call.fail(Object.assign(new Error('sealed for the purpose values'), { code: 'sealed_invalid' }));
  t.is(await code, 1);
});

test('sealing-key prints a line for a file', async (t) => {
  const { run, puppets, stdout, shown } = await world(t);
  const code = run('ctl', 'sealing-key');
  (await puppets.call(0)).succeed(shown);
  t.is(await code, 0);
  t.is(stdout.text, `${own.line} ${own.publicKey.id}\n`);
});
