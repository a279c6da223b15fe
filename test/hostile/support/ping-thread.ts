// Pings a process from a thread of its own, so that a busy test does not count as a stall. Time in
// which the pinged thread or this one waited for a processor is not counted: it depends on the
// other programs of the machine.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { WebSocket } from 'ws';
import type { PingMessage, PingSetup } from './pings.ts';

const intervalMs = 20;

if (parentPort === null) throw new Error('this module runs as a thread only');
const port = parentPort;
const { url, pid, headers } = workerData as PingSetup; // pings.ts gives its thread nothing else

/** Returns the milliseconds for which a thread has waited for a processor since its start. */
function waitedMs(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0; // the process has ended
  }
}

const waits = () => waitedMs(`/proc/${pid}/task/${pid}/schedstat`) + waitedMs('/proc/thread-self/schedstat');

const open = new Map<number, { sent: number; waited: number }>();
let count = 0;
let stallMs = 0;
let isStopping = false;

function finish(): void {
  port.postMessage({ type: 'stopped', stallMs } satisfies PingMessage);
  process.exit();
}

function answered(id: number): void {
  const ping = open.get(id);
  if (ping === undefined) return;
  open.delete(id);
  stallMs = Math.max(stallMs, performance.now() - ping.sent - (waits() - ping.waited));
  if (isStopping && open.size === 0) finish();
}

function every20Ms(send: (id: number) => void): void {
  setInterval(() => {
    if (isStopping) return;
    count++;
    open.set(count, { sent: performance.now(), waited: waits() });
    send(count);
  }, intervalMs);
  port.postMessage({ type: 'started' } satisfies PingMessage);
}

function lost(): void {
  stallMs = Infinity;
  finish();
}

function pingSocket(): void {
  const socket = new WebSocket(url, ['helm-agent.v1'], { headers });
  socket.on('pong', (data) => answered(Number(data.toString())));
  socket.on('error', lost).on('close', lost);
  socket.on('open', () => every20Ms((id) => socket.ping(String(id))));
}

function pingServer(): void {
  const agent = new Agent({ keepAlive: true });
  every20Ms((id) => {
    const ping = request(url, { agent, headers }, (response) => {
      response.resume().on('end', () => answered(id));
    });
    ping.on('error', lost).end();
  });
}

port.on('message', () => {
  isStopping = true;
  if (open.size === 0) finish();
});
if (url.startsWith('ws')) pingSocket();
else pingServer();
