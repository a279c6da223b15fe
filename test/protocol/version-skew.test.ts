import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { WebSocket } from 'ws';
import type { SentCommand } from '../../src/control-plane/index.ts';
import { createMemoryJournal } from '../../src/journal/memory.ts';
import type { Progress } from '../../src/operation/progress.ts';
import { helloSchema } from '../../src/protocol/messages.ts';
import { decodePacket, type Packet } from '../../src/protocol/packet.ts';
import { testAgent } from '../agent/support/agent.ts';
import { controlPlane } from '../agent/support/control-plane.ts';
import type { Call } from '../agent/support/handlers.ts';
import { testPlane } from '../control-plane/support/plane.ts';
import { eventually } from '../support/eventually.ts';

/** A frame between an agent and a control plane of an earlier version. */
interface Recorded {
  connection: number;
  from: 'agent' | 'control-plane';
  frame: string;
}

const versions = ['0.1.0'];

for (const version of versions) {
  const recorded = await framesOf(version);
  const connections = [...new Set(recorded.map(({ connection }) => connection))];
  const framesFrom = (from: Recorded['from'], connection: number) =>
    recorded.filter((one) => one.from === from && one.connection === connection).map(({ frame }) => frame);

  test(`an agent of version ${version} works with this control plane`, async (t) => {
    const { plane, agentUrl, lines } = await testPlane(t, { version });
    const commands = new Map<string, SentCommand>();
    for (const connection of connections) {
      const socket = new WebSocket(agentUrl, ['helm-agent.v1']);
      t.teardown(() => socket.terminate());
      const received: string[] = [];
      socket.on('message', (data: Buffer) => received.push(data.toString()));
      await once(socket, 'open');
      for (const { from, frame } of recorded.filter((one) => one.connection === connection)) {
        if (from === 'agent') {
          socket.send(frame);
          continue;
        }
        const { key, type, payload = '{}' } = decodePacket(frame);
        if (key !== undefined && !commands.has(key)) {
          await plane.waitForAgent('edge-1');
          commands.set(
            key,
            plane.send('edge-1', { type, payload: JSON.parse(payload) as Record<string, unknown>, key }),
          );
        }
        while (!received.includes(frame)) await once(socket, 'message');
      }
      // so that it has read everything
      socket.ping();
      await once(socket, 'pong');
      t.deepEqual(received, framesFrom('control-plane', connection));
      socket.terminate();
      await eventually('the agent is disconnected', () => plane.agents().length === 0);
    }
    for (const [key, command] of commands) {
      const events = [];
      for await (const { type, payload } of command) if (type !== 'agent') events.push([type, payload]);
      t.deepEqual(events, eventsOf(recorded, key), key);
    }
    t.false(lines.join('').includes('bad packet'));
  });

  test(`a control plane of version ${version} works with this agent`, async (t) => {
    const plane = await controlPlane(t);
    const journal = { ...createMemoryJournal(), durable: true };
    const known = new Set(recorded.filter(({ from }) => from === 'agent').map(({ frame }) => decodePacket(frame).type));
    const seen = new Set<string>();
    const calls = new Map<string, Call>();
    let running: { instanceId: string; started: Awaited<ReturnType<typeof testAgent>>; calls: number } | undefined;
    for (const [index, connection] of connections.entries()) {
      const { agentId, instanceId } = helloOf(framesFrom('agent', connection));
      if (running?.instanceId !== instanceId) {
        await running?.started.agent.stop();
        const options = { agentId, instanceId, version, journal, controlPlaneUrl: plane.url };
        running = { instanceId, started: await testAgent(t, options), calls: 0 };
      }
      const { socket, packets, closed } = await plane.connection(index);
      for (const { from, frame } of recorded.filter((one) => one.connection === connection)) {
        const packet = decodePacket(frame);
        const { key = '', type, payload } = packet;
        if (from === 'control-plane') socket.send(frame);
        if (from === 'control-plane' || type === 'hello' || seen.has(frame)) continue;
        seen.add(frame);
        perform(packet, calls.get(key));
        const isSame = (one: Packet) => one.key === key && one.type === type && one.payload === payload;
        while (!packets.some(isSame)) await once(socket, 'message');
        if (type === 'accepted') calls.set(key, parkable(await running.started.puppets.call(running.calls++)));
      }
      t.deepEqual(
        packets.filter(({ type }) => !known.has(type)),
        [],
      );
      t.like(helloOf(packets.map((packet) => JSON.stringify(packet))), { agentId, instanceId, version, durable: true });
      // another instance follows if there are no more connections of this one
      const next = connections[index + 1];
      if (next === undefined || helloOf(framesFrom('agent', next)).instanceId !== instanceId) continue;
      socket.terminate();
      await closed;
    }
  });
}

/** Lets the operation of a command do what the packet reports. */
function perform({ type, payload = '' }: Packet, call: Call | undefined): void {
  const fields = JSON.parse(payload) as Record<string, unknown>;
  delete fields['seq'];
  if (type === 'status') call?.context.progress(fields as unknown as Progress);
  if (type === 'evidence') {
    const { resources, ...step } = fields;
    call?.context.progress({ ...step, state: 'failed', evidence: { resources } } as unknown as Progress);
  }
  if (type !== 'result') return;
  const { ok, ...rest } = fields;
  const { code, message } = (rest['error'] ?? {}) as { code?: string; message?: string };
  if (ok === true) call?.succeed(rest);
  else call?.fail(Object.assign(new Error(message), { code }));
}

function parkable(call: Call): Call {
  const { abandon } = call.context;
  abandon.addEventListener('abort', () => call.fail(abandon.reason));
  return call;
}

function helloOf(frames: string[]) {
  const hello = frames.map((frame) => decodePacket(frame)).find(({ type }) => type === 'hello');
  return helloSchema.parse(JSON.parse(hello?.payload ?? ''));
}

async function framesOf(version: string): Promise<Recorded[]> {
  const text = await readFile(new URL(`fixtures/packets-${version}.jsonl`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
}

/** Returns the events of a command, without repeated packets. */
function eventsOf(recorded: Recorded[], key: string): unknown[] {
  const frames = recorded.filter(({ from }) => from === 'agent').map(({ frame }) => frame);
  return [...new Set(frames)]
    .map((frame) => decodePacket(frame))
    .filter((packet) => packet.key === key)
    .map(({ type, payload = '' }): unknown[] => [type, JSON.parse(payload)]);
}
