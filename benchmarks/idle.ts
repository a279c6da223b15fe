// Measures how long an agent takes from its start to its connection, and its memory when idle:
// without a port for probes, with that and metrics that are scraped, and with tracing, too; and
// with a policy that has keyless keys.
//   npm run -s bench:idle -- --kubeconfig FILE [--rounds N] [--agent PROGRAM]
// The agent is the bundle as the image runs it, without a journal in the cluster.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createSigstore, testIdentity, testIssuer } from '../test/source/verification/test-sigstore.ts';
import { buildBundle, startImageAgent } from './image-agent.ts';
import { median } from './statistics.ts';

const { values: flags } = parseArgs({
  options: { kubeconfig: { type: 'string' }, rounds: { type: 'string', default: '5' }, agent: { type: 'string' } },
});
if (flags.kubeconfig === undefined) {
  console.error('usage: npm run -s bench:idle -- --kubeconfig FILE [--rounds N] [--agent PROGRAM]');
  process.exit(2);
}
const kubeconfig = resolve(flags.kubeconfig);

/** Time until garbage is collected and memory is given back, and between two scrapes. */
const [idleMs, scrapeMs] = [20_000, 5000];
const healthPort = 18_081;

const variants = ['without', 'health and metrics', 'health, metrics and tracing', 'a keyless policy'] as const;
type Variant = (typeof variants)[number];

interface Places {
  program: string;
  tracesUrl: string;
  policyFile: string;
}

async function measure(variant: Variant, { program, tracesUrl, policyFile }: Places) {
  const isServed = variant.startsWith('health');
  const env = variant === 'health, metrics and tracing' ? { OTEL_EXPORTER_OTLP_ENDPOINT: tracesUrl } : {};
  const args = [
    ...(isServed ? ['--health-port', `${healthPort}`] : []),
    ...(variant === 'a keyless policy' ? ['--policy-file', policyFile] : []),
  ];
  const start = performance.now();
  const agent = await startImageAgent(program, kubeconfig, tmpdir(), args, env);
  const ms = performance.now() - start;
  try {
    await agent.perform('list_releases', { namespace: 'default' }); // a command, so that there is a trace
    for (let waited = 0; waited < idleMs; waited += scrapeMs) {
      await sleep(scrapeMs);
      if (isServed) await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
    }
    return { mib: (await agent.memory()).now, ms };
  } finally {
    await agent.close();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'bench-idle-'));
let batches = 0;
const traces = createServer((request, response) => {
  batches += 1;
  request.resume().on('end', () => response.end());
}).listen(0, '127.0.0.1');
await once(traces, 'listening');
const tracesUrl = `http://127.0.0.1:${(traces.address() as AddressInfo).port}`; // a TCP server has no other address
try {
  const program = flags.agent ?? (await buildBundle(folder));
  const policyFile = join(folder, 'policy.yaml');
  const keyless = { issuer: testIssuer, identity: testIdentity, trustedRoot: createSigstore().trustedRoot };
  await writeFile(
    policyFile,
    `chartKeys:
  - { name: workflow, keyless: ${JSON.stringify(keyless)} }
rules:
  - { name: all, verify: { mode: always, keys: [workflow] } }
default: deny
`,
  );
  const found = new Map<Variant, { mib: number; ms: number }[]>(variants.map((variant) => [variant, []]));
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (const variant of variants) {
      found.get(variant)?.push(await measure(variant, { program, tracesUrl, policyFile }));
    }
  }
  for (const [variant, all] of found) {
    const mib = all.map((one) => one.mib);
    const memory = `${median(mib).toFixed(1)} MiB (${Math.min(...mib).toFixed(1)} to ${Math.max(...mib).toFixed(1)})`;
    console.log(`${variant}: ${memory}, connected after ${median(all.map(({ ms }) => ms)).toFixed(0)} ms`);
  }
  console.log(`batches of traces: ${batches}`);
} finally {
  traces.close();
  await rm(folder, { recursive: true });
}
