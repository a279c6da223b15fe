import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { WebSocket, WebSocketServer } from 'ws';
import { decodePacket } from '../../../src/protocol/packet.ts';
import { decodeStreamFrame, type StreamFrame } from '../../../src/protocol/streams/frame.ts';

/** A frame that was passed on, by its sender. A packet is its type. */
interface Passed {
  from: 'agent' | 'plane';
  frame: StreamFrame | string;
}

/** A slow line between an agent and a control plane, which passes one frame after the other. */
export interface FrameRelay {
  url: string;
  connections: number;
  passed: Passed[];
  /** Called with the number of bytes of data so far. Returns true to cut the line. */
  onData: (bytes: number) => boolean;
}

/** Starts a relay that is stopped when the test ends. */
export async function frameRelay(t: ExecutionContext, target: string): Promise<FrameRelay> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  t.teardown(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const relay: FrameRelay = {
    url: `ws://127.0.0.1:${port}`,
    connections: 0,
    passed: [],
    onData: () => false,
  };
  let bytes = 0;
  server.on('connection', (agent) => {
    relay.connections++;
    const plane = new WebSocket(target, ['helm-agent.v1']);
    const opened = once(plane, 'open');
    const cut = () => {
      agent.terminate();
      plane.terminate();
    };
    const pass = async (from: Passed['from'], data: Buffer, isBinary: boolean) => {
      const [source, sink] = from === 'agent' ? [agent, plane] : [plane, agent];
      source.pause();
      await opened;
      const frame = isBinary ? decodeStreamFrame(data) : decodePacket(data.toString()).type;
      if (typeof frame !== 'string' && frame.type === 'data') {
        await sleep(1);
        bytes += frame.bytes.length;
        // not the content, which would stay in memory
        relay.passed.push({ from, frame: { ...frame, bytes: Buffer.alloc(0) } });
        if (relay.onData(bytes)) cut();
      } else relay.passed.push({ from, frame });
      if (sink.readyState !== WebSocket.OPEN) return;
      await new Promise((resolve) => sink.send(data, { binary: isBinary }, resolve));
      source.resume();
    };
    for (const from of ['agent', 'plane'] as const) {
      let last = Promise.resolve();
      // a paused socket may still have frames that it has read
      const queue = (data: Buffer, isBinary: boolean) => {
        last = last.then(() => pass(from, data, isBinary));
      };
      (from === 'agent' ? agent : plane).on('message', queue);
    }
    for (const socket of [agent, plane]) socket.on('error', () => undefined).on('close', cut);
  });
  return relay;
}
