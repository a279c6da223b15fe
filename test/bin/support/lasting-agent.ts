import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { commandTypes, isCommandType } from '../../../src/protocol/commands/index.ts';
import type { Packet } from '../../../src/protocol/packet.ts';
import { installed } from '../../control-plane/support/raw-agent.ts';

/** Pause between two connections, in milliseconds. */
const pauseMs = 100;

/** An agent without a cluster that connects again, and performs each key once. */
export interface LastingAgent {
  /** The keys of the commands that it has performed. */
  readonly performed: ReadonlySet<string>;
  /** Lets the commands of a release wait for their result until `release` is called. */
  hold(releaseName: string): void;
  release(): void;
  close(): Promise<void>;
}

/** Performs a command, and returns its result. It is called once for each key. */
export type Performer = (key: string, type: string, payload: Record<string, unknown>) => Promise<object>;

/** @param perform Default: the agent installs releases, and knows no other commands. */
export function startLastingAgent(agentId: string, url: string, perform?: Performer): LastingAgent {
  const performed = new Set<string>();
  const results = new Map<string, Promise<object>>();
  const held = new Set<string>();
  let heldRelease: string | undefined;
  const closing = new AbortController();
  let socket: WebSocket | undefined;
  const send = (type: string, payload: unknown, key?: string) => {
    if (socket?.readyState === WebSocket.OPEN) {
      socket.send(JSON.stringify({ key, type, payload: JSON.stringify(payload) }));
    }
  };
  const answer = (key: string) => {
    send('accepted', { durable: false }, key);
    const result = results.get(key);
    if (result) void result.then((known) => send('result', known, key));
    else if (!held.has(key)) send('result', installed, key);
  };
  const receive = ({ key, type, payload = '{}' }: Packet) => {
    if (perform && key !== undefined && isCommandType(type)) {
      performed.add(key);
      if (!results.has(key)) results.set(key, perform(key, type, JSON.parse(payload) as Record<string, unknown>));
      answer(key);
    } else if (type === 'install_release' && key !== undefined) {
      if (!performed.has(key)) {
        performed.add(key);
        if ((JSON.parse(payload) as { releaseName: string }).releaseName === heldRelease) held.add(key);
      }
      answer(key);
    }
    if (type === 'unfinished') {
      for (const each of (JSON.parse(payload) as { keys: string[] }).keys) if (performed.has(each)) answer(each);
    }
  };
  const stay = async () => {
    while (!closing.signal.aborted) {
      const current = new WebSocket(url, ['helm-agent.v1']);
      socket = current;
      current.on('error', () => undefined); // `close` follows
      current.on('message', (data: Buffer) => receive(JSON.parse(data.toString()) as Packet));
      current.once('open', () => send('hello', hello(agentId, perform ? commandTypes : ['install_release'])));
      await new Promise<void>((resolve) => current.once('close', () => resolve()));
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  const staying = stay();
  return {
    performed,
    hold: (releaseName) => void (heldRelease = releaseName),
    release() {
      heldRelease = undefined;
      const keys = [...held];
      held.clear();
      keys.forEach(answer);
    },
    async close() {
      closing.abort();
      socket?.terminate();
      await staying;
    },
  };
}

const hello = (agentId: string, capabilities: readonly string[]) => ({
  ...{ agentId, instanceId: 'a', version: '1', capabilities, durable: false },
  limits: { maxPacketBytes: 1_000_000 },
});
