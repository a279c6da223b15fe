// A control plane with an application that writes each result to a file. It kills itself at a
// moment that its parent names. Arguments: the file of the store, and that of the application.
import { appendFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import {
  type CommandStore,
  ControlPlane,
  createSqliteStore,
  type StoreBatch,
} from '../../../src/control-plane/index.ts';
import type { Packet } from '../../../src/protocol/packet.ts';
import type { Arming, Delivery, Listening, Moment } from './moments.ts';

const [file = '', deliveries = ''] = process.argv.slice(2);
let armed: Arming | undefined;
process.on('message', (arming: Arming) => (armed = arming));
process.on('disconnect', () => process.exit());

function reach(key: string | undefined, moment: Moment): void {
  if (key !== undefined && key === armed?.key && moment === armed.moment) process.kill(process.pid, 'SIGKILL');
}

/** Reaches the moments before a batch is stored, or those after. */
function reachAll({ commands, events }: StoreBatch, before: boolean): void {
  for (const { key, state, end, lastEvent, lastStatus } of commands) {
    if (lastEvent === 0 || state === 'waiting') reach(key, before ? 'before it is stored' : 'stored, not sent');
    if (lastStatus >= 3 && !before) reach(key, 'with three statuses');
    if (end?.isDelivered === true && before) reach(key, 'marked, not stored');
  }
  for (const { key, event } of events) {
    if (event.type === 'accepted') reach(key, before ? 'accepted, not stored' : 'accepted');
    if (event.type === 'result') reach(key, before ? 'result received, not stored' : 'result stored, not delivered');
  }
}

function mortal(store: CommandStore): CommandStore {
  return {
    ...store,
    async write(batch) {
      reachAll(batch, true);
      await store.write(batch);
      reachAll(batch, false);
    },
  };
}

const sockets: { send: (text: string, done?: (error?: Error) => void) => void } = WebSocket.prototype;
const { send } = sockets;
sockets.send = function (text, done) {
  const { key, type } = JSON.parse(text) as Packet;
  send.call(this, text, (error) => {
    if (type.endsWith('_release')) reach(key, 'sent, not accepted');
    done?.(error);
  });
};

const plane = new ControlPlane({ store: mortal(createSqliteStore(file)) });
const listening: Listening = { port: await plane.listen(0) };
process.send?.(listening);
for await (const { id, key, result } of plane.results()) {
  const delivery: Delivery = { process: process.pid, id, key, ok: result.ok };
  appendFileSync(deliveries, `${JSON.stringify(delivery)}\n`);
  reach(key, 'delivered, not marked');
}
