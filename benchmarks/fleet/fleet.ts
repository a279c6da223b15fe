// Measures a control plane with many agents: the bundle with the environment of the image and its
// SQLite file, real sockets on 127.0.0.1, and all agents in one other process.
//   npm run -s bench:fleet [-- --agents N --rate N --seconds N --values BYTES]
// --idle sets the seconds for which the idle share is measured, --start the agents in a second
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Fleet, FleetReport } from './agents.ts';

const option = (value: string) => ({ type: 'string' as const, default: value });
const { values: flags } = parseArgs({
  options: {
    ...{ agents: option('10000'), rate: option('500'), seconds: option('20') },
    ...{ values: option('13000'), idle: option('60'), start: option('300') },
  },
});
const [count, rate, seconds] = [Number(flags.agents), Number(flags.rate), Number(flags.seconds)];
const [valuesBytes, idleSeconds] = [Number(flags.values), Number(flags.idle)];

/** The longest time that one part may take, in milliseconds. */
const partMs = 180_000;
/** The whole run ends after this time, whatever has happened. */
const runMs = 15 * 60_000;

const now = () => performance.timeOrigin + performance.now();
const percentile = (sorted: readonly number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
const requests = new Agent({ keepAlive: true, maxSockets: 64 });

/** The processor time in seconds and the memory in MiB of a process. */
function usage(pid: number): { cpu: number; rss: number; peak: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  // ticks of 10 ms, as Linux counts for programs
  return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, rss: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
}

class Run {
  readonly #folder: string;
  readonly #port: number;
  readonly #agents: ChildProcess;
  #hub: ChildProcess | undefined;
  /** When the newest greeting of each agent arrived. */
  readonly #greeted = new Map<string, number>();
  readonly #arrived = new Map<string, number>();

  constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.#agents = fork(new URL('agents.ts', import.meta.url), { execArgv: ['--max-old-space-size=8192'] });
  }

  get #pid(): number {
    return this.#hub?.pid ?? 0;
  }

  async startHub(): Promise<void> {
    const flagsOfImage = ['--max-semi-space-size=2', '--heap-growing-percent=40'];
    const program = [join(this.#folder, 'bundle/helm-agent.mjs'), 'control-plane', '--port', String(this.#port)];
    const more = ['--data', join(this.#folder, 'plane.db'), '--max-connections', String(count * 2 + 1000)];
    this.#hub = spawn(process.execPath, [...flagsOfImage, ...program, ...more], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, HELM_AGENT_LOG_LEVEL: 'error' },
    });
    await this.#until('the control plane responds', async () => (await this.#send('GET', '/readyz')) === 200);
  }

  async connect(): Promise<void> {
    const began = now();
    const fleet: Fleet = { url: `ws://127.0.0.1:${this.#port}`, agents: count, perSecond: Number(flags.start) };
    this.#agents.send(fleet);
    await this.#until('all agents are connected', () => Promise.resolve(this.#greeted.size === count));
    console.log(
      `${count} agents connected in ${((now() - began) / 1000).toFixed(1)} s, started at ${flags.start} a second`,
    );
  }

  async idle(): Promise<number> {
    await sleep(10_000);
    const before = usage(this.#pid);
    await sleep(idleSeconds * 1000);
    const after = usage(this.#pid);
    const share = (after.cpu - before.cpu) / idleSeconds;
    console.log(`idle: ${after.rss.toFixed(0)} MiB, ${share.toFixed(3)} of a core over ${idleSeconds} s`);
    return after.rss;
  }

  async kill(idleRss: number): Promise<void> {
    await this.#collect();
    this.#greeted.clear();
    const gone = once(this.#hub as ChildProcess, 'exit');
    const killed = now();
    this.#hub?.kill('SIGKILL');
    await gone;
    await this.startHub();
    const ready = now();
    await this.#until('all agents are back', () => Promise.resolve(this.#greeted.size === count));
    const waits = [...this.#greeted.values()].map((at) => (at - killed) / 1000).sort((a, b) => a - b);
    const { peak, cpu } = usage(this.#pid);
    const [median, p99] = [percentile(waits, 0.5), percentile(waits, 0.99)];
    console.log(`killed: ready again after ${((ready - killed) / 1000).toFixed(1)} s; agents back after`);
    console.log(
      `  median ${median.toFixed(1)} s, p99 ${p99.toFixed(1)} s, longest ${percentile(waits, 1).toFixed(1)} s`,
    );
    console.log(
      `  ${peak.toFixed(0)} MiB at the peak (${(peak / idleRss).toFixed(2)} of idle), ${cpu.toFixed(1)} s of a processor`,
    );
  }

  /** Sends the same installation to all agents. */
  async sendToAll(): Promise<void> {
    const payload = { releaseName: 'web', chartName: 'chart', values: `text: ${'x'.repeat(valuesBytes)}` };
    const before = usage(this.#pid);
    const began = now();
    const keys = Array.from({ length: count }, (_, index) => `all-${index}`);
    const statuses = await this.#inTurns(keys, (key, index) =>
      this.#command(`edge-${index}`, 'install_release', key, payload),
    );
    const sent = now();
    await this.#until('all have arrived', () => Promise.resolve(keys.every((key) => this.#arrived.has(key))));
    const arrived = Math.max(...keys.map((key) => this.#arrived.get(key) ?? 0));
    const { rss, peak, cpu } = usage(this.#pid);
    const refused = statuses.filter((status) => status !== 202).length;
    console.log(`the same command (${valuesBytes} bytes) to all: sent in ${((sent - began) / 1000).toFixed(1)} s,`);
    console.log(`  accepted by the last agent after ${((arrived - began) / 1000).toFixed(1)} s, ${refused} refused;`);
    console.log(
      `  ${rss.toFixed(0)} MiB, ${peak.toFixed(0)} at the peak, ${(cpu - before.cpu).toFixed(1)} s of a processor`,
    );
  }

  /** Sends commands at a rate to agents in turn. */
  async sendAtRate(): Promise<void> {
    const before = usage(this.#pid);
    const total = rate * seconds;
    const sentAt = new Map<string, number>();
    const began = now();
    const pending: Promise<number>[] = [];
    for (let index = 0; index < total; index++) {
      const wait = began + (index * 1000) / rate - now();
      if (wait > 1) await sleep(wait);
      const key = `rate-${index}`;
      sentAt.set(key, now());
      pending.push(this.#command(`edge-${(index * 7919) % count}`, 'list_releases', key, {}));
    }
    const statuses = await Promise.all(pending);
    const took = (now() - began) / 1000;
    await this.#until('all have arrived', () =>
      Promise.resolve([...sentAt.keys()].every((key) => this.#arrived.has(key))),
    );
    const times = [...sentAt].map(([key, at]) => (this.#arrived.get(key) ?? 0) - at).sort((a, b) => a - b);
    const share = (usage(this.#pid).cpu - before.cpu) / took;
    const refused = statuses.filter((status) => status !== 202).length;
    console.log(
      `${total} commands at ${rate} a second: answered at ${(total / took).toFixed(0)} a second, ${refused} refused;`,
    );
    console.log(
      `  to the agent: median ${percentile(times, 0.5).toFixed(0)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms; ${share.toFixed(2)} of a core`,
    );
  }

  async close(): Promise<void> {
    this.#agents.kill();
    this.#hub?.kill('SIGKILL');
    requests.destroy();
    await Promise.resolve();
  }

  #command(agentId: string, type: string, key: string, payload: object): Promise<number> {
    return this.#send('POST', `/api/agents/${agentId}/commands`, JSON.stringify({ type, key, payload }));
  }

  /** Returns the status of the response; 0 if there is none. */
  #send(method: string, path: string, body?: string): Promise<number> {
    return new Promise((resolve) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const options = { host: '127.0.0.1', port: this.#port, method, path, headers, agent: requests };
      const sent = request(options, (response) => {
        response.resume().once('close', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', () => resolve(0));
      sent.end(body);
    });
  }

  async #inTurns(keys: readonly string[], send: (key: string, index: number) => Promise<number>): Promise<number[]> {
    const left = keys.entries();
    const statuses: number[] = [];
    const work = async () => {
      for (const [index, key] of left) statuses.push(await send(key, index));
    };
    await Promise.all(Array.from({ length: 64 }, work));
    return statuses;
  }

  /** Takes what the agents have reported. */
  async #collect(): Promise<void> {
    const reply = once(this.#agents, 'message') as Promise<[FleetReport]>; // as that process sends it
    this.#agents.send('report');
    const [{ greetings, arrivals }] = await reply;
    for (const { agentId, at } of greetings) this.#greeted.set(agentId, at);
    for (const { key, at } of arrivals) if (!this.#arrived.has(key)) this.#arrived.set(key, at);
  }

  async #until(what: string, check: () => Promise<boolean>): Promise<void> {
    const end = now() + partMs;
    while (now() < end) {
      await this.#collect();
      if (await check()) return;
      await sleep(250);
    }
    throw new Error(`after ${partMs / 1000} s it is not so that ${what} (${this.#greeted.size} agents are connected)`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

const folder = await mkdtemp(join(tmpdir(), 'helm-agent-fleet-'));
const bundled = spawnSync('npm', ['run', '-s', 'bundle', '--', join(folder, 'bundle')], { stdio: 'inherit' });
if (bundled.status !== 0) throw new Error('cannot bundle the program');
const run = new Run(folder, await freePort());
const ended = setTimeout(() => {
  console.error(`the run is not over after ${runMs / 60_000} minutes`);
  void run.close().finally(() => process.exit(1));
}, runMs);
try {
  console.log(`${cpus().length} cores, a load average of ${loadavg()[0]?.toFixed(1)}`);
  await run.startHub();
  await run.connect();
  const idleRss = await run.idle();
  await run.kill(idleRss);
  await run.sendToAll();
  await run.sendAtRate();
} finally {
  clearTimeout(ended);
  await run.close();
  await rm(folder, { recursive: true });
}
