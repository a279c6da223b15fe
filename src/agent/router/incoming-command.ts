import { createHash } from 'node:crypto';
import { defaultTimeout } from '../../operation/state/deadline.ts';
import { type ChartReference, chartReferenceOf } from '../../policy/chart-reference.ts';
import { type CommandTarget, targetOf } from '../../protocol/commands/command-target.ts';
import type { CommandDefinition, Right } from '../../protocol/commands/definition.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import type { Packet } from '../../protocol/packet.ts';
import { decodePayload } from '../../protocol/payload.ts';
import type { CommandContext, HandlersByType } from '../commands/command-handler.ts';
import { CommandError } from './errors.ts';
import { type Mask, maskFor } from './mask.ts';
import type { IfBusy } from './release-queues.ts';

/** A command whose packet and payload are valid. */
export interface IncomingCommand {
  key: string | undefined;
  type: string;
  right: Right;
  /** Whether the agent performs it with its own rights, whatever its rights file says. */
  asAgent: boolean;
  /** JSON text. */
  payload: string;
  /** The payload, as its schema has read it. */
  fields: object;
  /** Equal for packets with the same type and payload. */
  fingerprint: string;
  /** Who has sent it, as its control plane says. */
  sentBy: string | undefined;
  /** The span that has sent it. */
  traceparent: string | undefined;
  /** Its signatures. */
  envelope: string | undefined;
  /** Why it was sent, as its sender says. */
  reason: string | undefined;
  /** Size of the payload. */
  bytes: number;
  /** Key of the release that the command changes; undefined if it only reads. */
  changes: string | undefined;
  /** Whether it can run until its sender ends it. */
  follows: boolean;
  /** Whether another process can continue it, if the journal survives this one. */
  isDurable: boolean;
  /** The namespace and the name of the release, as far as the payload names one of them. */
  target: CommandTarget;
  /** Where its chart comes from. Undefined for a command without a chart. */
  chart: ChartReference | undefined;
  /** Treatment if another command on the release runs or waits. */
  ifBusy: IfBusy;
  /** Time limit in milliseconds, in which it has to wait for its turn too. Undefined: no limit. */
  timeout: number | undefined;
  mask: Mask;
  perform(context: CommandContext): Promise<object>;
}

/** The commands that an agent knows, and how it performs them. */
export interface AgentCommands {
  table: CommandTable;
  handlers: HandlersByType;
  /** The rights whose commands are performed. */
  allowedRights: readonly Right[];
}

/**
 * Reads the command in a packet. Throws `CommandError`, with `forbidden` before the payload is read
 * if its right is not among those of the agent, or `PayloadError`.
 */
export function readCommand(packet: Packet, { table, handlers, allowedRights }: AgentCommands): IncomingCommand {
  const { key, type, payload: text, sentBy, traceparent, envelope } = packet;
  const known = table.find(type);
  const handler = Object.hasOwn(handlers, type) ? handlers[type] : undefined;
  if (known === undefined || handler === undefined) {
    const all = table.types.join(', ');
    throw new CommandError('unknown_command', `unknown command ${JSON.stringify(type)}; known commands: ${all}`);
  }
  requireRight(type, known.definition.right, allowedRights);
  const payload = decodePayload(known.reader, text);
  const changes = known.definition.changes(payload);
  return {
    key,
    type,
    right: known.definition.right,
    asAgent: known.definition.asAgent === true,
    payload: text ?? '',
    fields: payload,
    fingerprint: createHash('sha256')
      .update(`${type}\n${text ?? ''}`)
      .digest('hex'),
    sentBy,
    traceparent,
    envelope,
    reason: 'reason' in payload && typeof payload['reason'] === 'string' ? payload['reason'] : undefined,
    bytes: Buffer.byteLength(text ?? ''),
    changes,
    follows: known.definition.follows === true,
    isDurable: known.definition.survives && changes !== undefined,
    target: targetOf(payload),
    chart: chartReferenceOf(payload),
    ifBusy: ifBusyOf(payload),
    timeout: timeoutOf(known.definition, payload),
    mask: maskFor(payload),
    // the reader of the same type has read it
    perform: (context) => handler(payload as never, context),
  };
}

/** Commands that were allowed can be cancelled with any right. */
function requireRight(type: string, right: Right, allowed: readonly Right[]): void {
  if (type === 'cancel_command' || allowed.includes(right)) return;
  throw new CommandError(
    'forbidden',
    `the agent does not accept ${type}, which needs the right "${right}"; its owner allows ${[...allowed].join(', ')}, and can add rights with --allow-rights`,
  );
}

function ifBusyOf({ ifBusy }: { ifBusy?: unknown }): IfBusy {
  return ifBusy === 'reject' || ifBusy === 'supersede' ? ifBusy : 'queue';
}

/** Returns undefined for a command without the option. */
function timeoutOf({ fields }: CommandDefinition, { timeout }: { timeout?: unknown }): number | undefined {
  if (!('timeout' in fields)) return undefined;
  return typeof timeout === 'number' ? timeout : defaultTimeout;
}
