// The JSON Schema of all packets, from the protocol's zod schemas.
import * as z from 'zod';
import { commandTable } from '../src/protocol/commands/index.ts';
import type { CommandTable } from '../src/protocol/commands/table.ts';
import { agentMessageSchemas, controlPlaneMessageSchemas } from '../src/protocol/messages.ts';

/** Returns the schema of packets in the form helm-agent.v1. */
export function packetSchema({ definitions }: CommandTable = commandTable): object {
  const commands = Object.entries(definitions);
  const commandPackets = commands.map(([type, { summary }]) => [type, packetOf(type, summary)] as const);
  const messages = { ...agentMessageSchemas, ...controlPlaneMessageSchemas };
  const messagePackets = Object.keys(messages).map((type) => [type, packetOf(type)] as const);
  const packets = Object.fromEntries([...commandPackets, ...messagePackets]);
  const payloads = [
    ...commands.map(([type, { payload }]) => [`${type}.payload`, jsonSchema(payload, 'input')] as const),
    ...commands.map(([type, { answer }]) => [`${type}.result`, jsonSchema(answer, 'output')] as const),
    ...Object.entries(messages).map(([type, schema]) => [`${type}.payload`, jsonSchema(schema, 'output')] as const),
  ];
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Packets of helm-agent.v1',
    description:
      'A packet is one WebSocket text frame. NAME.result has the further fields of a successful result of the command NAME.',
    oneOf: Object.keys(packets).map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: { ...packets, ...Object.fromEntries(payloads) },
  };
}

function packetOf(type: string, description?: string): object {
  return {
    ...(description !== undefined && { description }),
    type: 'object',
    properties: {
      key: { type: 'string', description: "The command's id" },
      type: { const: type },
      payload: {
        type: 'string',
        description: 'JSON text',
        contentMediaType: 'application/json',
        contentSchema: { $ref: `#/$defs/${type}.payload` },
      },
      seq: { type: 'integer', minimum: 1, description: 'Number of the packet, between ends that resume' },
    },
    required: ['type'],
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  return { ...z.toJSONSchema(schema, { io, unrepresentable: 'any' }), $schema: undefined };
}
