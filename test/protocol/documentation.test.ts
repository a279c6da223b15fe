import { readFile } from 'node:fs/promises';
import test from 'ava';
import type { z } from 'zod';
import { commandSchemas, commandTypes, isCommandType } from '../../src/protocol/commands.ts';
import { agentMessageSchemas, controlPlaneMessageSchemas } from '../../src/protocol/messages.ts';
import { decodePacket, encodePacket } from '../../src/protocol/packet.ts';
import { decodePayload } from '../../src/protocol/payload.ts';

type Speaker = 'agent' | 'control-plane' | 'plain';

const text = await readFile(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
const examples = [...text.matchAll(/^```json (agent|control-plane|plain)\n(.*)\n```$/gm)].map(
  ([, speaker, packet]) => ({
    speaker: speaker as Speaker, // the expression allows no other
    packet: packet ?? '',
  }),
);

const schemas: Record<string, z.ZodType> = { ...agentMessageSchemas, ...controlPlaneMessageSchemas };

for (const [index, { speaker, packet: frame }] of examples.entries()) {
  const { type, payload } = decodePacket(frame);
  test(`example ${index + 1} of docs/protocol.md, ${type} by ${speaker}, is a packet as it stands`, (t) => {
    t.is(encodePacket(decodePacket(frame)), frame);
    const notice = schemas[type];
    if (speaker === 'plain') {
      t.true(isCommandType(type));
    } else if (isCommandType(type)) {
      t.is(speaker, 'control-plane');
      t.notThrows(() => decodePayload<unknown>(commandSchemas[type], payload));
    } else if (notice) {
      t.deepEqual(decodePayload(notice, payload), JSON.parse(payload ?? ''));
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
