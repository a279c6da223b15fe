import { createHash } from 'node:crypto';
import { defaultTimeout } from '../../operation/state/deadline.ts';
import {
  changedRelease,
  commands,
  commandTypes,
  isCommandType,
  payloadReaders,
  type CommandAnswers,
  type CommandType,
} from '../../protocol/commands/index.ts';
import { defaultRights, type Right } from '../../protocol/commands/definition.ts';
import type { Packet } from '../../protocol/packet.ts';
import { decodePayload } from '../../protocol/payload.ts';
import type { CommandContext, CommandHandlers } from '../commands/command-handler.ts';
import { CommandError } from './errors.ts';
import { maskFor, type Mask } from './mask.ts';
import type { IfBusy } from './release-queues.ts';

/** A command whose packet and payload are valid. */
export interface IncomingCommand {
  key: string | undefined;
  type: CommandType;
  /** JSON text. */
  payload: string;
  /** Equal for packets with the same type and payload. */
  fingerprint: string;
  /** Who has sent it, as its control plane says. */
  sentBy: string | undefined;
  /** Size of the payload. */
  bytes: number;
  /** Key of the release that the command changes; undefined if it only reads. */
  changes: string | undefined;
  /** Whether another process can continue it, if the journal survives this one. */
  isDurable: boolean;
  /** The namespace and the name of the release, as far as the payload names one of them. */
  target: CommandTarget;
  /** Treatment if another command on the release runs or waits. */
  ifBusy: IfBusy;
  /** Time limit in milliseconds, in which it has to wait for its turn too. Undefined: no limit. */
  timeout: number | undefined;
  mask: Mask;
  perform(context: CommandContext): Promise<CommandAnswers[CommandType]>;
}

/** The subject of a command. */
export interface CommandTarget {
  /** Undefined for all namespaces. */
  namespace: string | undefined;
  /** Undefined for several releases, or for none. */
  releaseName: string | undefined;
}

/**
 * Reads the command in a packet. Throws `CommandError`, with `forbidden` before the payload is read
 * if its right is not among those of the agent, or `PayloadError`.
 */
export function readCommand(
  packet: Packet,
  handlers: CommandHandlers,
  allowed: readonly Right[] = defaultRights,
): IncomingCommand {
  if (!isCommandType(packet.type)) {
    const type = JSON.stringify(packet.type);
    throw new CommandError('unknown_command', `unknown command ${type}; known commands: ${commandTypes.join(', ')}`);
  }
  requireRight(packet.type, allowed);
  return commandOf(packet.type, packet, handlers);
}

function requireRight(type: CommandType, allowed: readonly Right[]): void {
  const { right } = commands[type];
  if (allowed.includes(right)) return;
  throw new CommandError(
    'forbidden',
    `the agent does not accept ${type}, which needs the right "${right}"; its owner allows ${[...allowed].join(', ')}, and can add rights with --allow-rights`,
  );
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- ties types
function commandOf<Type extends CommandType>(type: Type, packet: Packet, handlers: CommandHandlers): IncomingCommand {
  const payload = decodePayload(payloadReaders[type], packet.payload);
  const changes = changedRelease(type, payload);
  return {
    key: packet.key,
    type,
    payload: packet.payload ?? '',
    fingerprint: createHash('sha256')
      .update(`${type}\n${packet.payload ?? ''}`)
      .digest('hex'),
    sentBy: packet.sentBy,
    bytes: Buffer.byteLength(packet.payload ?? ''),
    changes,
    isDurable: changes !== undefined,
    target: targetOf(payload, changes),
    ifBusy: ('ifBusy' in payload ? payload.ifBusy : undefined) ?? 'queue',
    timeout: timeoutOf(type, payload),
    mask: maskFor(payload),
    perform: (context) => handlers[type](payload, context),
  };
}

/** Returns undefined for a command without the option. */
function timeoutOf(type: CommandType, payload: { timeout?: number | undefined } | object): number | undefined {
  if (!('timeout' in commands[type].payload.shape)) return undefined;
  return ('timeout' in payload ? payload.timeout : undefined) ?? defaultTimeout;
}

/** A plan names its release in its id, which is the key of the release that it changes. */
function targetOf(
  payload: { namespace?: string | undefined; releaseName?: string | undefined } | { plan: string } | object,
  changes: string | undefined,
): CommandTarget {
  if ('plan' in payload) {
    const [namespace, releaseName] = changes?.split('/') ?? [];
    return { namespace, releaseName };
  }
  return {
    namespace: 'namespace' in payload ? payload.namespace : undefined,
    releaseName: 'releaseName' in payload ? payload.releaseName : undefined,
  };
}
