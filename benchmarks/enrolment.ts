// Measures how fast agents enrol their keys: real sockets from another process to a control plane
// with its SQLite file in this one. The agents stay connected.
//   npm run -s bench:enrolment [-- --agents N --at-once N]
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ControlPlane, createSqliteStore } from '../src/control-plane/index.ts';
import type { Enrolled, Enrolling } from './enrolling-agents.ts';

const { values: flags } = parseArgs({
  options: { agents: { type: 'string', default: '10000' }, 'at-once': { type: 'string', default: '200' } },
});
const [count, atOnce] = [Number(flags.agents), Number(flags['at-once'])];

const seconds = (since: number) => (performance.now() - since) / 1000;
const percentile = (sorted: readonly number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;

async function measure(folder: string): Promise<void> {
  const plane = new ControlPlane({ store: createSqliteStore(join(folder, 'plane.db')), maxConnections: count + 1000 });
  const port = await plane.listen(0);
  const inviting = performance.now();
  const invitations = Array.from({ length: count }, (_, index) => plane.createEnrolment({ agentId: `edge-${index}` }));
  const agents = await Promise.all(invitations);
  console.log(`${count} tokens made in ${seconds(inviting).toFixed(1)} s`);
  const child: ChildProcess = fork(new URL('enrolling-agents.ts', import.meta.url));
  const work: Enrolling = { url: `ws://127.0.0.1:${port}`, agents, atOnce };
  child.send(work);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the process of the agents has ended')));
  ended.catch(() => undefined); // it ends at the end, too
  await Promise.race([once(child, 'message'), ended]);
  const cpu = process.cpuUsage();
  const start = performance.now();
  child.send('start');
  const [enrolled] = (await Promise.race([once(child, 'message'), ended])) as [Enrolled]; // as that process sends it
  const took = seconds(start);
  const { user, system } = process.cpuUsage(cpu);
  const sorted = enrolled.milliseconds.toSorted((a, b) => a - b);
  const rate = (sorted.length / took).toFixed(0);
  console.log(`${sorted.length} agents enrolled in ${took.toFixed(1)} s (${rate} in a second), ${atOnce} at a time`);
  console.log(
    `one enrolment: median ${percentile(sorted, 0.5).toFixed(0)} ms, p99 ${percentile(sorted, 0.99).toFixed(0)} ms`,
  );
  console.log(
    `control plane: ${((user + system) / 1e6).toFixed(1)} s of a processor, ${(process.memoryUsage().rss / 1024 ** 2).toFixed(0)} MiB`,
  );
  console.log(
    `connected: ${plane.agents().length}; failures: ${enrolled.failures.length} ${enrolled.failures[0] ?? ''}`,
  );
  child.kill();
  await plane.close();
}

const folder = await mkdtemp(join(tmpdir(), 'helm-agent-enrolment-'));
try {
  await measure(folder);
} finally {
  await rm(folder, { recursive: true });
}
