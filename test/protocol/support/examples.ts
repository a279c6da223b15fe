import { readFile } from 'node:fs/promises';
import { type CommandType, commandTypes } from '../../../src/protocol/commands/index.ts';
import { decodePacket } from '../../../src/protocol/packet.ts';

/** The payload of the first example of each command in docs/protocol.md, which has all of them. */
export async function examplePayloads(): Promise<ReadonlyMap<CommandType, Record<string, unknown>>> {
  const text = await readFile(new URL('../../../docs/protocol.md', import.meta.url), 'utf8');
  const packets = [...text.matchAll(/^```json (?:control-plane|plain)\n(.*)\n```$/gm)].map(([, packet = '']) =>
    decodePacket(packet),
  );
  return new Map(
    commandTypes.map((type) => {
      const payload = packets.find((packet) => packet.type === type)?.payload ?? '{}';
      return [type, JSON.parse(payload) as Record<string, unknown>]; // an object in all examples
    }),
  );
}
