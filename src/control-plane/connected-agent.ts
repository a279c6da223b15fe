import { type Health, type Hello, maxUnfinished } from '../protocol/messages.ts';
import type { Packet } from '../protocol/packet.ts';

/** An agent that is connected. */
export interface ConnectedAgent extends Hello, Partial<Health> {
  /** Time of the connection, in RFC 3339. */
  connectedAt: string;
}

/** Returns a packet without the fields that an agent does not know. */
export function packetFor({ packetFields }: Hello, packet: Packet): Packet {
  const { sentBy, traceparent, envelope, ...fields } = packet;
  const knows = (field: string) => packetFields?.includes(field) === true;
  return {
    ...fields,
    ...(sentBy !== undefined && knows('sentBy') && { sentBy }),
    ...(traceparent !== undefined && knows('traceparent') && { traceparent }),
    ...(envelope !== undefined && knows('envelope') && { envelope }),
  };
}

/** Returns the packets that ask an agent for what it knows about commands. */
export function unfinishedPackets(commands: readonly { key: string }[]): Packet[] {
  const packets: Packet[] = [];
  for (let start = 0; start < commands.length; start += maxUnfinished) {
    const keys = commands.slice(start, start + maxUnfinished).map(({ key }) => key);
    packets.push({ type: 'unfinished', payload: JSON.stringify({ keys }) });
  }
  return packets;
}
