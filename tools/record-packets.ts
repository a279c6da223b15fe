// Records the packets of an agent and a control plane of this version, for the tests of version
// skew:
//   npm run -s record:packets -- FILE
// FILE gets a line of JSON for each frame: the connection, its sender, and its text. It is recorded
// before a change of the protocol, and never again for the same version.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { startAgent } from '../src/agent/agent.ts';
import { ControlPlaneServer } from '../src/control-plane/control-plane.ts';
import { silentLog } from '../src/control-plane/logger.ts';
import { createMemoryJournal } from '../src/journal/memory.ts';
import { commandTable } from '../src/protocol/commands/index.ts';
import { subprotocol } from '../src/protocol/subprotocol.ts';
import { PuppetHandlers } from '../test/agent/support/handlers.ts';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: npm run -s record:packets -- FILE');
  process.exit(2);
}

interface Frame {
  connection: number;
  from: 'agent' | 'control-plane';
  frame: string;
}

const frames: Frame[] = [];
const relays: WebSocket[] = [];
const time = '2026-01-02T03:04:05.678Z';
const now = () => new Date(time);
const journal = { ...createMemoryJournal(), durable: true };
const log = { ...silentLog, debug: () => undefined, error: () => undefined, child: () => log };
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' } as const;

const plane = new ControlPlaneServer(
  { version: '0.1.0' },
  { table: commandTable, now, monotonic: () => 0, newKey: () => 'key', randomBytes },
);
const planePort = await plane.listen(0);
// without pongs nothing is confirmed, and the agent repeats its packets on the next connection
const relay = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
relay.on('connection', (agentSide) => {
  const connection = relays.push(agentSide);
  const planeSide = new WebSocket(`ws://127.0.0.1:${planePort}`, [subprotocol]);
  const open = once(planeSide, 'open');
  const pass = (from: Frame['from'], to: WebSocket) => (data: Buffer) => {
    frames.push({ connection, from, frame: data.toString() });
    void open.then(() => to.send(data.toString()));
  };
  agentSide.on('message', pass('agent', planeSide));
  planeSide.on('message', pass('control-plane', agentSide));
  agentSide.on('close', () => planeSide.terminate());
  planeSide.on('close', () => agentSide.terminate());
});
await once(relay, 'listening');

function runAgent(instanceId: string) {
  const puppets = new PuppetHandlers();
  const agent = startAgent({
    agentId: 'edge-1',
    instanceId,
    version: '0.1.0',
    handlers: puppets.handlers,
    journal,
    log,
    random: () => 0,
    now,
    controlPlaneUrl: `ws://127.0.0.1:${(relay.address() as AddressInfo).port}`, // a TCP server has no other
    times: { graceMs: 0, deliveryMs: 1000 },
  });
  return { puppets, agent };
}

const web = { releaseName: 'web', chartName: 'c' };
const first = runAgent('instance-1');
await plane.waitForAgent('edge-1');

const install = plane.send('edge-1', { type: 'install_release', payload: web, key: 'install' });
const call = await first.puppets.call(0);
call.report('1 of 2 ready');
call.context.progress({
  step: 'wait',
  state: 'running',
  time,
  resources: [{ ...deployment, status: 'InProgress', reason: 'ImagePullBackOff' }],
});
call.context.progress({
  step: 'wait',
  state: 'failed',
  time,
  evidence: { resources: [{ ...deployment, status: 'InProgress', conditions: [], events: [], pods: [] }] },
});
call.succeed();
await install.result;

const list = plane.send('edge-1', { type: 'list_releases', key: 'list' });
(await first.puppets.call(1)).succeed();
await list.result;

const failing = plane.send('edge-1', {
  type: 'upgrade_release',
  payload: { ...web, releaseName: 'failing' },
  key: 'failing',
});
(await first.puppets.call(2)).fail(Object.assign(new Error('it is late'), { code: 'timeout' }));
await failing.result;

const invalid = plane.send('edge-1', { type: 'get_release', payload: {}, key: 'invalid' });
await invalid.result;

const cut = plane.send('edge-1', { type: 'install_release', payload: { ...web, releaseName: 'cut' }, key: 'cut' });
const cutCall = await first.puppets.call(3);
cutCall.report('before the cut');
for await (const { type } of cut) if (type === 'status') break;
relays[0]?.terminate();
for await (const { type } of cut) if (type === 'agent') break;
cutCall.report('during the cut');
cutCall.succeed();
await cut.result;

const left = plane.send('edge-1', { type: 'install_release', payload: { ...web, releaseName: 'left' }, key: 'left' });
const leftCall = await first.puppets.call(4);
for await (const { type } of left) if (type === 'accepted') break;
leftCall.context.abandon.addEventListener('abort', () => leftCall.fail(leftCall.context.abandon.reason));
await (await first.agent).stop();

const second = runAgent('instance-2');
const resumed = await second.puppets.call(0);
for await (const event of left) if (event.type === 'accepted' && event.payload.resumed === true) break;
resumed.report('after the restart');
resumed.succeed();
await left.result;

await (await second.agent).stop();
await plane.close();
relay.close();
await writeFile(file, frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
console.log(`${frames.length} frames`);
