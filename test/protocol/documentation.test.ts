import { readFile } from 'node:fs/promises';
import test from 'ava';
import type * as z from 'zod';
import { commandTypes, isCommandType, payloadReaders } from '../../src/protocol/commands/index.ts';
import { agentMessageSchemas, controlPlaneMessageSchemas } from '../../src/protocol/messages.ts';
import { decodePacket, encodePacket } from '../../src/protocol/packet.ts';
import { decodePayload } from '../../src/protocol/payload.ts';

type Sender = 'agent' | 'control-plane' | 'plain';

const text = await readFile(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
const examples = [...text.matchAll(/^```json (agent|control-plane|plain)\n(.*)\n```$/gm)].map(([, sender, packet]) => ({
  sender: sender as Sender, // the expression allows no other
  packet: packet ?? '',
}));

const schemas: Record<string, z.ZodType> = { ...agentMessageSchemas, ...controlPlaneMessageSchemas };

for (const [index, { sender, packet: frame }] of examples.entries()) {
  const { type, payload } = decodePacket(frame);
  test(`example ${index + 1} of docs/protocol.md, ${type} by ${sender}, is a valid packet`, (t) => {
    t.is(encodePacket(decodePacket(frame)), frame);
    const message = schemas[type];
    if (sender === 'plain') {
      t.true(isCommandType(type));
    } else if (isCommandType(type)) {
      t.is(sender, 'control-plane');
      t.notThrows(() => decodePayload<unknown>(payloadReaders[type], payload));
    } else if (message) {
      t.deepEqual(decodePayload(message, payload), JSON.parse(payload ?? ''));
    } else {
      t.fail(`there is no packet of the type ${type}`);
    }
  });
}

test('docs/protocol.md has an example of every packet', (t) => {
  const shown = new Set(examples.map(({ packet }) => decodePacket(packet).type));
  const all = [...commandTypes, ...Object.keys(schemas)];
  t.deepEqual(
    all.filter((type) => !shown.has(type)),
    [],
  );
});
