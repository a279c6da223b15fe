import type { CommandTable } from '../../protocol/commands/table.ts';
import { resultSchema } from '../../protocol/messages.ts';
import type { Packet } from '../../protocol/packet.ts';
import type { WireForm } from '../../protocol/subprotocol.ts';

/** One packet about a command, or about those of the journal, before it has its form. */
export interface Reply {
  kind: 'accepted' | 'status' | 'evidence' | 'log' | 'result' | 'journaled';
  /** The command's key. */
  key: string | undefined;
  /** The command's type. */
  type: string | undefined;
  /** JSON text of the kind's payload. */
  payload: string;
  /** With `result`: the fingerprint of its command, if that could be read. */
  fingerprint?: string;
  /** The signature of a result, as in a packet. */
  envelope?: string;
}

/** Returns the packet for a reply, or undefined if the form has no such packet. */
export function packetOf(reply: Reply, form: WireForm, table: CommandTable): Packet | undefined {
  const key = reply.key === undefined ? {} : { key: reply.key };
  const envelope = reply.envelope === undefined ? {} : { envelope: reply.envelope };
  if (form === 'v1') return { ...key, type: reply.kind, payload: reply.payload, ...envelope };
  if (reply.kind !== 'result') return undefined;
  const { type = '', payload } = reply;
  return { ...key, type, payload: plainPayload(table.find(type)?.definition.plainField, payload) };
}

/**
 * Returns the payload as the Go helm-agent sends it: the command's object as JSON, or the bare text
 * of the error.
 */
function plainPayload(field: string | undefined, resultText: string): string {
  const result = resultSchema.parse(JSON.parse(resultText));
  if (!result.ok) return result.error.message;
  return JSON.stringify(field === undefined ? undefined : result[field]);
}
