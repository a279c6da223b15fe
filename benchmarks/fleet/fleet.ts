// Measures a control plane with many agents: the bundle with the environment of the image and its
// SQLite file, real sockets on 127.0.0.1, and all agents in one other process.
//   npm run -s bench:fleet [-- --agents N --rate N --seconds N --values BYTES]
// --idle sets the seconds for which the idle share is measured, --start the agents in a second,
// --parts the parts that run, such as all,rate, --bundle the folder of a bundle, such as one of
// another version, --profile a folder for a profile of the processor, and --node-flags the flags of
// Node for the control plane, instead of those of the image. With --relay, two control planes share
// a PostgreSQL, each has half of the agents, and all commands are sent to the one that relays them
// to the other.
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort, postgresFolder, startPostgres } from '../../test/control-plane/support/postgres.ts';
import { type ProcessUse, useOf } from '../process-use.ts';
import type { Fleet, FleetReport } from './agents.ts';

const option = (value: string) => ({ type: 'string' as const, default: value });
const { values: flags } = parseArgs({
  options: {
    ...{ agents: option('10000'), rate: option('500'), seconds: option('20') },
    ...{ values: option('13000'), idle: option('60'), start: option('300') },
    ...{ parts: option('idle,kill,all,rate'), bundle: option(''), profile: option('') },
    'node-flags': option('--max-semi-space-size=2 --heap-growing-percent=40'),
    relay: { type: 'boolean', default: false },
  },
});
const parts = new Set(flags.parts.split(','));
const [count, rate, seconds] = [Number(flags.agents), Number(flags.rate), Number(flags.seconds)];
const [valuesBytes, idleSeconds] = [Number(flags.values), Number(flags.idle)];

/** The longest time that one part may take, in milliseconds. */
const partMs = 180_000;
/** The whole run ends after this time, whatever has happened. */
const runMs = 15 * 60_000;

const now = () => performance.timeOrigin + performance.now();
const percentile = (sorted: readonly number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
const requests = new Agent({ keepAlive: true, maxSockets: 64 });

/** A control plane that is started. */
interface Plane {
  readonly port: number;
  /** Its flags about what it stores. */
  readonly store: readonly string[];
}

class Run {
  readonly #planes: readonly Plane[];
  readonly #agents: ChildProcess;
  /** The processes of the planes. */
  readonly #hubs: ChildProcess[] = [];
  /** When the newest greeting of each agent arrived. */
  readonly #greeted = new Map<string, number>();
  readonly #arrived = new Map<string, number>();
  /** The longest pause of the process of the agents since it was last reset, in milliseconds. */
  #pause = 0;

  constructor(planes: readonly Plane[]) {
    this.#planes = planes;
    this.#agents = fork(new URL('agents.ts', import.meta.url), { execArgv: ['--max-old-space-size=8192'] });
  }

  /** The processor time of all control planes, and the memory of the one that leads. */
  #usage(): Omit<ProcessUse, 'age'> {
    const [first = { cpu: 0, resident: 0, peak: 0 }, ...others] = this.#hubs.map(({ pid = 0 }) => useOf(pid));
    return { ...first, cpu: others.reduce((sum, { cpu }) => sum + cpu, first.cpu) };
  }

  /** Starts the control planes one after the other, so that the first one leads. */
  async startHubs(): Promise<void> {
    const nodeFlags = flags['node-flags'].split(' ').filter((flag) => flag !== '');
    if (flags.profile !== '') nodeFlags.push('--cpu-prof', `--cpu-prof-dir=${flags.profile}`);
    this.#hubs.length = 0;
    for (const { port, store } of this.#planes) {
      const program = [join(bundle, 'helm-agent.mjs'), 'control-plane', '--port', String(port)];
      const more = [...store, '--max-connections', String(count * 2 + 1000)];
      const hub = spawn(process.execPath, [...nodeFlags, ...program, ...more], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, HELM_AGENT_LOG_LEVEL: 'error' },
      });
      this.#hubs.push(hub);
      await this.#until(
        'the control plane responds',
        async () => (await this.#send('GET', '/readyz', { port })) === 200,
      );
    }
  }

  async connect(): Promise<void> {
    const began = now();
    const urls = this.#planes.map(({ port }) => `ws://127.0.0.1:${port}`);
    const fleet: Fleet = { urls, agents: count, perSecond: Number(flags.start) };
    this.#agents.send(fleet);
    await this.#until('all agents are connected', () => Promise.resolve(this.#greeted.size === count));
    console.log(
      `${count} agents connected in ${((now() - began) / 1000).toFixed(1)} s, started at ${flags.start} a second`,
    );
  }

  async idle(): Promise<number> {
    await sleep(10_000);
    const before = this.#usage();
    await sleep(idleSeconds * 1000);
    const after = this.#usage();
    const share = (after.cpu - before.cpu) / idleSeconds;
    console.log(`idle: ${after.resident.toFixed(0)} MiB, ${share.toFixed(3)} of a core over ${idleSeconds} s`);
    return after.resident;
  }

  async kill(idleRss: number): Promise<void> {
    await this.#collect();
    this.#greeted.clear();
    const killed = now();
    await this.#stopHubs('SIGKILL');
    await this.startHubs();
    const ready = now();
    await this.#until('all agents are back', () => Promise.resolve(this.#greeted.size === count));
    const waits = [...this.#greeted.values()].map((at) => (at - killed) / 1000).sort((a, b) => a - b);
    const { peak, cpu } = this.#usage();
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
    const before = this.#usage();
    const began = now();
    const keys = Array.from({ length: count }, (_, index) => `all-${index}`);
    const statuses = await this.#inTurns(keys, (key, index) =>
      this.#command(`edge-${index}`, 'install_release', key, payload),
    );
    const sent = now();
    await this.#until('all have arrived', () => Promise.resolve(keys.every((key) => this.#arrived.has(key))));
    const arrived = Math.max(...keys.map((key) => this.#arrived.get(key) ?? 0));
    const { resident, peak, cpu } = this.#usage();
    const refused = statuses.filter((status) => status !== 202).length;
    console.log(`the same command (${valuesBytes} bytes) to all: sent in ${((sent - began) / 1000).toFixed(1)} s,`);
    console.log(`  accepted by the last agent after ${((arrived - began) / 1000).toFixed(1)} s, ${refused} refused;`);
    console.log(
      `  ${resident.toFixed(0)} MiB, ${peak.toFixed(0)} at the peak, ${(cpu - before.cpu).toFixed(1)} s of a processor,`,
    );
    console.log(`  ${(((cpu - before.cpu) * 1000) / count).toFixed(2)} ms for each`);
  }

  /** Sends commands at a rate to agents in turn. */
  async sendAtRate(): Promise<void> {
    await this.#collect();
    this.#pause = 0;
    const delays = monitorEventLoopDelay({ resolution: 5 });
    delays.enable();
    const before = this.#usage();
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
    const cpu = this.#usage().cpu - before.cpu;
    const refused = statuses.filter((status) => status !== 202).length;
    console.log(
      `${total} commands at ${rate} a second: answered at ${(total / took).toFixed(0)} a second, ${refused} refused;`,
    );
    console.log(
      `  to the agent: median ${percentile(times, 0.5).toFixed(0)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms; ${(cpu / took).toFixed(2)} of a core,`,
    );
    console.log(`  ${((cpu * 1000) / total).toFixed(2)} ms of a processor for each;`);
    const [ofAgents, own] = [this.#pause, delays.max / 1e6].map((pause) => pause.toFixed(0));
    console.log(`  longest pause of the process of the agents ${ofAgents} ms, of this one ${own} ms`);
  }

  async close(): Promise<void> {
    this.#agents.kill();
    requests.destroy();
    await this.#stopHubs(flags.profile === '' ? 'SIGKILL' : 'SIGTERM'); // the profile is written at its end
  }

  async #stopHubs(signal: NodeJS.Signals): Promise<void> {
    for (const hub of this.#hubs) {
      if (hub.exitCode !== null || hub.signalCode !== null) continue;
      const ended = once(hub, 'exit');
      hub.kill(signal);
      await ended;
    }
  }

  #command(agentId: string, type: string, key: string, payload: object): Promise<number> {
    const body = JSON.stringify({ type, key, payload });
    return this.#send('POST', `/api/agents/${agentId}/commands`, { body, port: this.#planes.at(-1)?.port });
  }

  /** Returns the status of the response; 0 if there is none. */
  #send(method: string, path: string, { port, body }: { port?: number | undefined; body?: string }): Promise<number> {
    return new Promise((resolve) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const options = { host: '127.0.0.1', port, method, path, headers, agent: requests };
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
    const [{ greetings, arrivals, pause }] = await reply;
    this.#pause = Math.max(this.#pause, pause);
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

async function planesOf(): Promise<Plane[]> {
  if (!postgres) return [{ port: await freePort(), store: ['--data', join(folder, 'plane.db')] }];
  const file = join(folder, 'database.url');
  await writeFile(file, await postgres.createDatabase(), { mode: 0o600 });
  const plane = async () => ({
    port: await freePort(),
    store: ['--database-url-file', file, '--replica-address', `127.0.0.1:${await freePort()}`],
  });
  return [await plane(), await plane()];
}

const folder = await mkdtemp(join(tmpdir(), 'helm-agent-fleet-'));
const bundle = flags.bundle === '' ? join(folder, 'bundle') : flags.bundle;
if (flags.bundle === '') {
  const bundled = spawnSync('npm', ['run', '-s', 'bundle', '--', bundle], { stdio: 'inherit' });
  if (bundled.status !== 0) throw new Error('cannot bundle the program');
}
const postgres = flags.relay ? await startPostgres(postgresFolder() ?? '') : undefined;
const run = new Run(await planesOf());
const ended = setTimeout(() => {
  console.error(`the run is not over after ${runMs / 60_000} minutes`);
  void Promise.all([run.close(), postgres?.close()]).finally(() => process.exit(1));
}, runMs);
try {
  console.log(`${cpus().length} cores, a load average of ${loadavg()[0]?.toFixed(1)}`);
  await run.startHubs();
  await run.connect();
  const idleRss = parts.has('idle') || parts.has('kill') ? await run.idle() : 0;
  if (parts.has('kill')) await run.kill(idleRss);
  if (parts.has('all')) await run.sendToAll();
  if (parts.has('rate')) await run.sendAtRate();
} finally {
  clearTimeout(ended);
  await run.close();
  await postgres?.close();
  await rm(folder, { recursive: true });
}
