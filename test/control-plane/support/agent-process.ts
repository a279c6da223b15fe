import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Packet } from '../../../src/protocol/packet.ts';

export interface AgentProcessOptions {
  agentId?: string;
  instanceId: string;
  processId?: string;
  token?: string;
  /** Counts the connections of the process. Default: 1. */
  connection?: number;
  /** Called for each command. Default: the process accepts it. */
  onCommand?: (key: string, process: AgentProcess) => void;
  /** Called with each key that it is asked for. Default: the process says nothing about it. */
  onAsked?: (key: string, process: AgentProcess) => void;
  /** Called for each ping. Default: the process responds to it. */
  onPing?: (process: AgentProcess) => void;
}

/** A process of an agent whose commands survive it, as a control plane sees it. */
export interface AgentProcess {
  /** Keys of the commands that it got, in their order. */
  readonly received: string[];
  /** Resolves when the connection is closed. */
  readonly closed: Promise<unknown>;
  accept(key: string): void;
  /** Says that it does not know a command. */
  disown(key: string): void;
  /** Ends without a word. */
  crash(): void;
  /** Ends in order. */
  stop(): void;
}

/** Connects a process to the URL of a control plane. Resolves when it is welcome, or
 * refused. */
export async function agentProcess(url: string, options: AgentProcessOptions): Promise<AgentProcess> {
  const { agentId = 'edge-1', instanceId, processId, token, connection = 1, onAsked, onPing } = options;
  const { onCommand = (key: string, process: AgentProcess) => process.accept(key) } = options;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, ['helm-agent.v1'], { headers, autoPong: onPing === undefined });
  const welcomed = Promise.withResolvers<undefined>();
  let seq = 0;
  const send = (type: string, payload: object, key?: string) => {
    const number = type === 'hello' ? {} : { seq: ++seq };
    socket.send(JSON.stringify({ key, type, payload: JSON.stringify(payload), ...number }));
  };
  const process: AgentProcess = {
    received: [],
    closed: once(socket, 'close'),
    accept: (key) => send('accepted', { durable: true }, key),
    disown: (key) => send('result', { ok: false, error: { code: 'agent_restarted', message: 'not known' } }, key),
    crash: () => socket.terminate(),
    stop: () => socket.close(1001),
  };
  socket.on('error', () => undefined);
  socket.on('ping', () => onPing?.(process));
  socket.on('message', (data: Buffer) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const { key, type, payload = '' } = JSON.parse(data.toString()) as Packet;
    if (type === 'welcome') welcomed.resolve(undefined);
    if (type === 'unfinished') for (const asked of keysOf(payload)) onAsked?.(asked, process);
    if (key === undefined || !type.endsWith('_release')) return;
    process.received.push(key);
    onCommand(key, process);
  });
  await once(socket, 'open');
  send('hello', {
    ...{ agentId, instanceId, version: '1', capabilities: ['install_release'], durable: true },
    ...(processId !== undefined && { processId }),
    limits: { maxPacketBytes: 8_000_000 },
    resume: { epoch: instanceId, acknowledged: 0, connection },
  });
  await Promise.race([welcomed.promise, process.closed]);
  return process;
}

function keysOf(payload: string): string[] {
  const { keys } = JSON.parse(payload) as { keys: string[] }; // of a control plane of this version
  return keys;
}
