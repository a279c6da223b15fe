// Agents as processes of their own, which a WebSocket server drives with packets.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface AgentProcess {
  /** Performs a command. Rejects with the agent's error. */
  perform(type: string, payload: object): Promise<void>;
  /** Processor time so far, in milliseconds. */
  cpuMs(): Promise<number>;
  /**
   * Begins to measure processor time, more exactly than {@link cpuMs}. Returns a function that
   * returns the time since then, in milliseconds, without threads that have ended meanwhile.
   */
  beginCpu(): Promise<() => Promise<number>>;
  /** Resident memory now and at its peak, in MiB. */
  memory(): Promise<{ now: number; peak: number }>;
  close(): Promise<void>;
}

/** Starts a program whose arguments depend on the URL of its control plane. */
export async function startAgentProcess(
  program: string,
  argsOf: (url: string) => string[],
  env: Record<string, string>,
): Promise<AgentProcess> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new WebSocketServer({ server });
  const { port } = server.address() as AddressInfo; // a TCP server has no other address
  const connected = once(sockets, 'connection') as Promise<[WebSocket]>;
  const child = spawn(program, argsOf(`ws://127.0.0.1:${port}`), {
    env: { ...env, PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${program} ended`)));
  const [socket] = await Promise.race([connected, ended]);
  ended.catch(() => undefined);
  const waiting = new Map<string, (payload: string) => void>();
  socket.on('message', (data: Buffer) => {
    const { key = '', type, payload } = JSON.parse(data.toString()) as { key?: string; type: string; payload: string };
    if (type === 'result') waiting.get(key)?.(payload);
  });
  return {
    async perform(type, payload) {
      const key = randomUUID();
      const result = new Promise<string>((resolve) => waiting.set(key, resolve));
      socket.send(JSON.stringify({ key, type, payload: JSON.stringify(payload) }));
      const answer = JSON.parse(await result) as { ok: boolean; error?: { message: string } };
      waiting.delete(key);
      if (!answer.ok) throw new Error(answer.error?.message);
    },
    cpuMs: () => cpuMs(child),
    async beginCpu() {
      const before = await threadTimes(child);
      return async () => {
        const after = await threadTimes(child);
        return Array.from(after, ([id, time]) => time - (before.get(id) ?? 0)).reduce((sum, time) => sum + time, 0);
      };
    },
    async memory() {
      const status = await readFile(`/proc/${child.pid ?? 0}/status`, 'utf8');
      const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
      return { now: mib('VmRSS'), peak: mib('VmHWM') };
    },
    async close() {
      child.kill('SIGKILL');
      for (const client of sockets.clients) client.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sums the fields `utime` and `stime` of proc(5), which count hundredths of a second on Linux. */
async function cpuMs({ pid = 0 }: ChildProcess): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Returns the processor time of each thread in milliseconds, which Linux counts in nanoseconds. */
async function threadTimes({ pid = 0 }: ChildProcess): Promise<Map<string, number>> {
  const folder = `/proc/${pid}/task`;
  const times = new Map<string, number>();
  for (const id of await readdir(folder)) {
    const text = await readFile(`${folder}/${id}/schedstat`, 'utf8').catch(() => undefined); // it has ended
    if (text !== undefined) times.set(id, Number(text.split(' ')[0]) / 1e6);
  }
  return times;
}
