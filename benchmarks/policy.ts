// Time that a policy and signatures add to a command: a policy with 100 rules, of which the last
// one is for it and has conditions, an install of 20 objects, and Ed25519 signatures of a payload.
// The agent's work alone, without a cluster: policy-deploys.ts measures whole commands.
// Usage: npm run -s bench:policy
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createThreadedEvaluator } from '../src/policy/conditions/threaded-evaluator.ts';
import { openPolicyFile } from '../src/policy/policy-file.ts';
import type { PolicyScope } from '../src/policy/policy-scope.ts';
import { seal } from '../src/sealing/sealed-text.ts';
import { SealingKeys } from '../src/sealing/sealing-keys.ts';
import { signCommand, verifyCommand } from '../src/signatures/command-statement.ts';
import { sshLineOf } from '../src/signatures/public-key.ts';
import { pemSigner } from '../src/signatures/signer.ts';
import { limitsFor, onCommand, onObjects, policyText } from './bench-policy.ts';
import { median, quantile } from './statistics.ts';

const rounds = 500;
const objectCount = 20;

const signer = pemSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
const trustedKey = `{ name: ci, publicKey: "${sshLineOf(signer.publicKey)}", roles: [deploy] }`;
const selector = "namespaces: [team-99-*], releases: ['*'], commands: [deploy], callers: [ci-99]";

const payload = JSON.stringify({ namespace: 'team-99-a', releaseName: 'web', values: 'a: b\n'.repeat(2000) });
const packet = { agentId: 'edge-1', key: 'k', type: 'install_release', payload };
const reference = { reference: 'oci://registry.example.com/web', hasDigest: false, hasDownloads: false };
const scope: PolicyScope = {
  ...{ type: 'install_release', right: 'deploy', namespace: 'team-99-a', releaseName: 'web', sentBy: 'ci-99' },
  ...{ changes: true, chart: reference, payload: { namespace: 'team-99-a', releaseName: 'web' } },
};
const objects = Array.from({ length: objectCount }, (_, index) => ({
  target: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'team-99-a', name: `web-${index}` },
  content: {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: `web-${index}` } },
    spec: { replicas: 2, template: { spec: { containers: [{ name: 'a', image: 'registry.example.com/a:1' }] } } },
  },
}));

/**
 * Prints the median and the 95th percentile of a piece of work, and its mean processor time in all
 * threads, in milliseconds.
 */
async function measure(name: string, work: () => unknown): Promise<void> {
  for (let warmUp = 0; warmUp < 50; warmUp++) await work();
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(before);
  const numbers = [median(times), quantile(times, 0.95), (user + system) / 1000 / rounds];
  console.log(`| ${name} | ${numbers.map((number) => number.toFixed(2)).join(' | ')} |`);
}

const folder = await mkdtemp(join(tmpdir(), 'bench-policy-'));
const moduleUrl = new URL('../src/bin/condition-thread.ts', import.meta.url);
const threaded = createThreadedEvaluator({ moduleUrl });
try {
  const now = Date.now();
  const clusterTime = () => ({ earliest: now, latest: now });
  console.log('| Work | Median, ms | 95 %, ms | Processor time, ms |\n|---|---|---|---|');
  const limits = limitsFor('oci://registry.example.com/*', 'registry.example.com/*');
  const cases = [
    ['100 rules', limits],
    ['100 rules, conditions on command and chart', `${limits}, conditions: [${onCommand}]`],
    ['100 rules, a condition on each object', `${limits}, conditions: [${onObjects}]`],
  ] as const;
  for (const [name, last] of cases) {
    const path = join(folder, 'policy.yaml');
    await writeFile(path, `keys: [${trustedKey}]\n${policyText(`${selector}, ${last}`)}`);
    const policy = await openPolicyFile(path, { evaluator: threaded.evaluator, clusterTime });
    await measure(`${name}: an install of ${objectCount} objects`, async () => {
      const found = await policy.decide(scope, 'begins');
      found.requireChart({ reference, version: '1.2.3' });
      await found.conditions?.requireChart({ reference, version: '1.2.3' });
      for (const { target, content } of objects) found.requireChange(target, content);
      found.requireObjects(objects.map(({ target, content }) => ({ ref: target, object: content })));
      await found.conditions?.requireObjects(objects.map(({ content }) => content));
      // again when they are applied, and with each write
      for (const { target, content } of objects) found.requireChange(target, content);
      await found.conditions?.requireObjects(objects.map(({ content }) => content));
      for (const { target, content } of objects) {
        found.requireChange(target, content);
        found.requireWritten({ ref: target, object: content });
        await found.conditions?.requireObjects([content]);
      }
    });
  }
  const times = { now, lifetimeMs: 3_600_000 };
  const envelope = await signCommand(packet, [signer], times);
  await measure('sign a command with 10 KiB', () => signCommand(packet, [signer], times));
  await measure('verify a command with 10 KiB', () =>
    verifyCommand(envelope, packet, [signer.publicKey], clusterTime()),
  );
  const kept: { text?: string } = {};
  const keys = new SealingKeys({
    agentId: 'edge-1',
    store: {
      name: 'memory',
      read: () => Promise.resolve(kept.text === undefined ? undefined : { text: kept.text, version: '1' }),
      write: (text) => Promise.resolve((kept.text = text) !== ''),
    },
    now: () => now,
  });
  const place = { agentId: 'edge-1', namespace: 'shop', releaseName: 'web', purpose: 'values' } as const;
  const { key } = await keys.publicKey();
  const sealed = await seal('a: b\n'.repeat(2000), key, place);
  await measure('seal 10 KiB', () => seal('a: b\n'.repeat(2000), key, place));
  await measure('open 10 KiB', () => keys.open(sealed, place));
} finally {
  await threaded.close();
  await rm(folder, { recursive: true });
}
