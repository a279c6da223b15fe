import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import {
  createSqliteStore,
  readSealingKey,
  seal,
  type Sealed,
  type SealedPlace,
  type SentCommand,
} from '../../src/control-plane/index.ts';
import { signCommand } from '../../src/signatures/command-statement.ts';
import { sshLineOf } from '../../src/signatures/public-key.ts';
import { recordingLog } from '../agent/support/log.ts';
import { agentId, answerOf, failureOf } from '../bin/support/world.ts';
import { newSigner } from '../signatures/support/keys.ts';
import { eventually } from '../support/eventually.ts';
import { tenant } from './tenant.ts';

const password = 'hunter2-of-a-sealed-text';

/** Puts the password where nothing says that it is secret, and into the notes of no one. */
const charts = {
  app: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\ndata: { db: {{ .Values.db }} }\n',
  fails: '{{ fail (printf "the password %s is too weak" .Values.db) }}',
};

/** Returns all texts that bytes may have: themselves, from base64, and unpacked. */
function textsOf(data: Readonly<Record<string, string>>): string[] {
  return Object.values(data).flatMap((encoded) => {
    const bytes = Buffer.from(encoded, 'base64');
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return [bytes.toString('latin1'), isPacked ? gunzipSync(bytes).toString('latin1') : ''];
  });
}

async function filesOf(folder: string): Promise<string> {
  const names = await readdir(folder);
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')));
  return contents.join('');
}

test('the control plane stores, forwards and shows nothing that it could read of sealed values', async (t) => {
  t.timeout(180_000);
  const folder = await mkdtemp(join(tmpdir(), 'sealed-e2e-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const { log, lines } = recordingLog();
  const store = createSqliteStore(join(folder, 'store.db'));
  const { plane, shop, agent, admin } = await tenant(t, charts, { log }, { store });
  const { sealingKey, keyId } = await answerOf(plane.getSealingKey(agentId, {}));
  const key = readSealingKey(sealingKey);
  t.is(key.id, keyId);
  const sealTo = (text: string, place: Partial<SealedPlace> = {}) =>
    seal(text, key, { agentId, namespace: shop, releaseName: 'web', purpose: 'values', ...place });
  const packets: string[] = [];
  const record = async (command: SentCommand) => {
    for await (const event of command) packets.push(JSON.stringify(event));
    packets.push(JSON.stringify(await command.result));
  };
  const release = { namespace: shop, releaseName: 'web', createNamespace: false };
  const app = { ...release, chartName: 'app' };
  const found = (name: string) => admin.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: shop, name });
  const sealedValues = [await sealTo(`db: ${password}`)];

  // in all ways in which a command can have them
  const sent = [
    plane.template(agentId, { ...app, sealedValues }),
    plane.diff(agentId, { ...app, sealedValues }),
    plane.install(agentId, { ...app, sealedValues }),
    plane.get(agentId, { namespace: shop, releaseName: 'web', allValues: true }),
    plane.upgrade(agentId, { ...app, sealedValues, dryRun: 'server' }),
    plane.upgrade(agentId, { ...release, chartName: 'fails', sealedValues }),
  ];
  for (const command of sent.slice(0, 3)) await record(command);
  await Promise.all(sent.slice(3).map(record));
  t.like(await found('web'), { data: { db: password } });
  const { plan } = await answerOf(plane.plan(agentId, { action: 'upgrade', ...app, sealedValues, values: 'a: 1' }));
  await record(plane.getPlan(agentId, { plan }));
  await record(plane.applyPlan(agentId, { plan }));

  const shown = packets.join('\n');
  t.true(shown.includes('***'));
  t.false(shown.includes(password), 'packets');
  t.false(lines.join('\n').includes(password), 'logs');
  t.false((await filesOf(folder)).includes(password), 'the store of the control plane');
  // a command that waits is in the store, with what it was sent with
  plane.install('edge-2', { ...app, sealedValues }, { deliverWithin: '1h' }).result.catch(() => undefined);
  await eventually('the store has the sealed text', async () =>
    (await filesOf(folder)).includes(sealedValues[0]?.enc ?? 'none'),
  );
  await eventually('the journal has nothing of it', async () => {
    const secrets = await admin.list({ apiVersion: 'v1', kind: 'Secret', namespace: agent });
    const journal = secrets.filter(({ metadata }) => metadata.labels?.['helm-agent/journal'] !== undefined);
    const texts = journal.flatMap((secret) => textsOf((secret['data'] ?? {}) as Record<string, string>));
    t.true(journal.length > 0);
    return !texts.some((text) => text.includes(password) || text.includes(Buffer.from(password).toString('base64')));
  });
});

test('a sealed text is of no use to a control plane at another place', async (t) => {
  t.timeout(180_000);
  const { plane, shop, admin } = await tenant(t, charts);
  const { sealingKey } = await answerOf(plane.getSealingKey(agentId, {}));
  const key = readSealingKey(sealingKey);
  const place = { agentId, namespace: shop, releaseName: 'web', purpose: 'values' } as const;
  const sealed = await seal(`db: ${password}`, key, place);
  const install = (releaseName: string, sealedValues: Sealed[]) =>
    plane.install(agentId, { namespace: shop, releaseName, chartName: 'app', createNamespace: false, sealedValues });
  const other = async (changes: Partial<SealedPlace>) => await seal(`db: ${password}`, key, { ...place, ...changes });
  const bytes = Buffer.from(sealed.ciphertext, 'base64');
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1);
  const attacks: [string, Sealed][] = [
    ['moved', sealed],
    ['moved', { ...sealed, releaseName: 'moved' }],
    ['web', { ...(await other({ agentId: 'edge-2' })), agentId }],
    ['web', { ...(await other({ namespace: 'default' })), namespace: shop }],
    ['web', { ...(await other({ purpose: 'credentials' })), purpose: 'values' }],
    ['web', { ...sealed, ciphertext: bytes.toString('base64') }],
    ['web', { ...sealed, ciphertext: bytes.subarray(0, -1).toString('base64') }],
    ['web', { ...sealed, keyId: `SHA256:${'a'.repeat(43)}` }],
  ];
  for (const [name, given] of attacks) {
    const { code, message } = await failureOf(install(name, [given]));
    t.is(code, 'sealed_invalid');
    t.false(message.includes(password));
  }
  const deep = await seal(`db: ${'['.repeat(500_000)}`, key, place);
  t.not((await failureOf(install('web', [deep]))).code, 'internal');
  t.deepEqual(
    (await admin.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: shop })).map(({ metadata }) => metadata.name),
    ['kube-root-ca.crt'],
  );
  await answerOf(install('web', [sealed]));
});

test('with keys in the policy, a control plane cannot show sealed values with a chart of its own', async (t) => {
  t.timeout(180_000);
  const ci = newSigner();
  const folder = await mkdtemp(join(tmpdir(), 'sealed-policy-e2e-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const policyFile = join(folder, 'policy.yaml');
  await writeFile(
    policyFile,
    `keys: [{ name: ci, publicKey: "${sshLineOf(ci.publicKey)}", roles: [deploy] }]
rules:
  - { name: reading, commands: [read] }
  - { name: all, signedBy: { roles: [deploy] } }
default: deny
`,
  );
  const { plane, shop, admin } = await tenant(t, charts, { policyFile });
  const { sealingKey } = await answerOf(plane.getSealingKey(agentId, {}));
  const place = { agentId, namespace: shop, releaseName: 'web', purpose: 'values' } as const;
  const sealedValues = [await seal(`db: ${password}`, readSealingKey(sealingKey), place)];
  const app = { namespace: shop, releaseName: 'web', chartName: 'app', sealedValues };
  for (const command of [
    plane.template(agentId, app),
    plane.diff(agentId, app),
    plane.plan(agentId, { action: 'install', ...app }),
    plane.install(agentId, { ...app, createNamespace: false }),
  ]) {
    t.is((await failureOf(command)).code, 'signature_required');
  }
  const type = 'install_release';
  const payload = JSON.stringify({ ...app, createNamespace: false });
  const times = { now: Date.now(), lifetimeMs: 3_600_000 };
  const envelopeOf = (key: string) => signCommand({ agentId, key, type, payload }, [ci], times);
  // the signature is over the sealed text, too
  const other = payload.replace(/"enc":"(.)/, (_, first) => `"enc":"${first === 'A' ? 'B' : 'A'}`);
  const altered = plane.send(agentId, { key: 'altered', type, payload: other, envelope: await envelopeOf('altered') });
  t.is((await failureOf(altered)).code, 'signature_invalid');
  await answerOf(plane.send(agentId, { key: 'a', type, payload, envelope: await envelopeOf('a') }));
  const object = await admin.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: shop, name: 'web' });
  t.like(object, { data: { db: password } });
});
