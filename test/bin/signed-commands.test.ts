import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { SendRequest } from '../../src/control-plane/command-methods.ts';
import { signCommand } from '../../src/signatures/command-statement.ts';
import { sshLineOf } from '../../src/signatures/public-key.ts';
import type { LocalSigner } from '../../src/signatures/signer.ts';
import type { SignOptions } from '../../src/signatures/statement.ts';
import { newSigner } from '../signatures/support/keys.ts';
import { eventually } from '../support/eventually.ts';
import { type FaultyWorld, faultyWorld } from './support/faulty-world.ts';
import { agentId, answerOf, failureOf } from './support/world.ts';

// The control plane of these tests is in the hands of an attacker, with all that it stores. It does
// not have the keys of those who sign.

const ci = newSigner();
const ops = newSigner();
const hour = 3_600_000;
const second = 1000;

const policy = `keys:
  - { name: ci, publicKey: "${sshLineOf(ci.publicKey)}", roles: [deploy] }
  - { name: ops, publicKey: "${sshLineOf(ops.publicKey)}", roles: [ops] }
rules:
  - { name: reading, commands: [read] }
  - { name: production, namespaces: [shop], signedBy: { roles: [deploy] } }
default: deny
`;

const chart = (text: string) => `apiVersion: v1
kind: ConfigMap
metadata: { name: web }
data: { text: ${text}, value: {{ .Values.value | default "none" | quote }} }
`;

async function attackedWorld(t: ExecutionContext, rules = policy): Promise<FaultyWorld & { policyFile: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'signed-world-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const policyFile = join(folder, 'policy.yaml');
  writeFileSync(policyFile, rules);
  const world = await faultyWorld(t, {
    random: () => 0.5,
    setup: { policyFile },
    writeCharts(target) {
      for (const name of ['good', 'evil']) {
        const path = join(target, name);
        mkdirSync(join(path, 'templates'), { recursive: true });
        writeFileSync(join(path, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
        writeFileSync(join(path, 'templates', 'a.yaml'), chart(name));
      }
      return Promise.resolve();
    },
  });
  await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  return { ...world, policyFile };
}

interface Command {
  key: string;
  type: 'install_release' | 'upgrade_release' | 'uninstall_release';
  payload: string;
}

const command = (key: string, type: Command['type'], fields: object = {}): Command => ({
  key,
  type,
  payload: JSON.stringify({ namespace: 'shop', releaseName: 'web', ...fields }),
});

async function signed(
  one: Command,
  signer: LocalSigner = ci,
  options: Partial<SignOptions> = {},
): Promise<SendRequest> {
  const times = { now: Date.now(), lifetimeMs: hour, ...options };
  return { ...one, envelope: await signCommand({ agentId, ...one }, [signer], times) };
}

const install = (key: string) => command(key, 'install_release', { chartName: 'good' });

/** Returns the requests that change something outside of the namespace of the agent. */
const changesOf = ({ api }: FaultyWorld) =>
  api.requests.filter((line) => /^(?:POST|PUT|PATCH|DELETE) /.test(line) && !line.includes('/namespaces/default/'));

/** Sends a command that must be refused, with nothing changed and the reason in the log. */
async function refused(t: ExecutionContext, world: FaultyWorld, request: SendRequest, code: string): Promise<void> {
  const before = changesOf(world).length;
  const failure = await failureOf(world.plane.send(agentId, request));
  t.is(failure.code, code, failure.message);
  t.deepEqual(changesOf(world).slice(before), [], 'nothing changes');
  await eventually(`the log says why ${String(request.key)} was refused`, () => {
    const logged = world.lines.map((line) => JSON.parse(line) as { key?: string; code?: string; reason?: string });
    return logged.some((one) => one.key === request.key && one.code === code && one.reason === failure.message);
  });
}

const attack = test.macro(async (t, forge: () => Promise<SendRequest> | SendRequest, code: string) => {
  const world = await attackedWorld(t);
  await refused(t, world, await forge(), code);
});

test('a command that is not signed changes nothing', attack, () => install('a'), 'signature_required');
test(
  'a signature of a key of the control plane changes nothing',
  attack,
  () => signed(install('a'), newSigner()),
  'signature_required',
);
test('a signature of another role changes nothing', attack, () => signed(install('a'), ops), 'signature_required');
test(
  'a command whose chart was replaced after it was signed changes nothing',
  attack,
  async () => ({ ...(await signed(install('a'))), payload: install('a').payload.replace('good', 'evil') }),
  'signature_invalid',
);
test(
  'a command of another type with the payload of a signed one changes nothing',
  attack,
  async () => ({ ...(await signed(install('a'))), type: 'uninstall_release' }),
  'signature_invalid',
);
test(
  'a command that was signed for another agent changes nothing',
  attack,
  async () => {
    const one = install('a');
    const envelope = await signCommand({ ...one, agentId: 'edge-2' }, [ci], { now: Date.now(), lifetimeMs: hour });
    return { ...one, envelope };
  },
  'signature_invalid',
);
test(
  'a command that was kept back until its signature has expired changes nothing',
  attack,
  () => signed(install('a'), ci, { now: Date.now() - 3 * hour }),
  'signature_expired',
);
test('a damaged envelope changes nothing', attack, () => ({ ...install('a'), envelope: '{' }), 'signature_invalid');

test('signed commands are performed, and their replays change nothing', async (t) => {
  const world = await attackedWorld(t);
  const { plane, lines } = world;
  const start = Date.now() - 10 * second;
  const first = await signed(install('a'), ci, { now: start });
  await answerOf(plane.send(agentId, first));
  const accepted = lines.map((line) => JSON.parse(line) as { msg: string; signedBy?: string[] });
  t.deepEqual(accepted.find(({ msg }) => msg === 'command accepted')?.signedBy, ['ci']);

  const value = (text: string) => ({ chartName: 'good', values: `value: ${text}` });
  const old = await signed(command('b', 'upgrade_release', value('old')), ci, { now: start + second });
  const kept = await signed(command('c', 'uninstall_release'), ci, { now: start + 2 * second });
  const newest = await signed(command('d', 'upgrade_release', value('new')), ci, { now: start + 3 * second });
  await answerOf(plane.send(agentId, old));
  await answerOf(plane.send(agentId, newest));

  await refused(t, world, { ...old, key: 'e' }, 'signature_invalid');
  await refused(t, world, kept, 'signature_replayed');
  const { releases } = await answerOf(plane.history(agentId, { namespace: 'shop', releaseName: 'web' }));
  t.is(releases.length, 3);
});

test('a signature does not help against other limits of the policy', async (t) => {
  const world = await attackedWorld(t);
  const elsewhere = command('a', 'install_release', { chartName: 'good', namespace: 'other' });
  const failure = await failureOf(world.plane.send(agentId, await signed(elsewhere)));
  t.is(failure.code, 'denied_by_policy');
});

test('commands of rules without signatures need none', async (t) => {
  const { plane } = await attackedWorld(t);
  t.deepEqual((await answerOf(plane.list(agentId, {}))).releases, []);
});
