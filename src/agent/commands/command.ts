import { createHash } from 'node:crypto';
import { commandSchemas, isCommandType, type CommandPayloads, type CommandType } from '../../protocol/commands.ts';
import { MAX_PACKET_BYTES } from '../../protocol/limits.ts';
import type { Answer } from '../../protocol/messages.ts';
import type { Packet } from '../../protocol/packet.ts';
import { decodePayload } from '../../protocol/payload.ts';
import { CommandError } from './errors.ts';
import type { CommandContext, CommandHandlers } from './handler.ts';
import { maskFor, type Mask } from './secrets.ts';

/** A command whose packet and payload are in order. */
export interface Command {
  key: string | undefined;
  type: CommandType;
  /** Equal for packets that ask for the same. */
  fingerprint: string;
  /** `namespace/name` of the release that it changes; undefined where it only reads. */
  changes: string | undefined;
  mask: Mask;
  perform(context: CommandContext): Promise<Answer>;
}

/**
 * Throws `CommandError` or `PayloadError` where the packet, of a frame of `bytes`, is no command.
 */
export function readCommand(packet: Packet, bytes: number, handlers: CommandHandlers): Command {
  if (bytes > MAX_PACKET_BYTES) {
    throw new CommandError('too_large', `the packet has ${bytes} bytes; at most ${MAX_PACKET_BYTES} are allowed`);
  }
  if (!isCommandType(packet.type)) {
    const known = Object.keys(commandSchemas).join(', ');
    throw new CommandError(
      'unknown_command',
      `no command is called ${JSON.stringify(packet.type)}; known are ${known}`,
    );
  }
  return commandOf(packet.type, packet, handlers);
}

/** What several commands have. */
interface CommonFields {
  namespace?: string | undefined;
  releaseName?: string;
  chartName?: string;
  repoUrl?: string | undefined;
  repoPassword?: string | undefined;
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it ties schema, payload and handler together
function commandOf<Type extends CommandType>(type: Type, packet: Packet, handlers: CommandHandlers): Command {
  const payload: CommandPayloads[Type] & CommonFields = decodePayload(commandSchemas[type], packet.payload);
  return {
    key: packet.key,
    type,
    fingerprint: createHash('sha256')
      .update(`${type}\n${packet.payload ?? ''}`)
      .digest('hex'),
    changes: changedRelease(type, payload),
    mask: maskFor(payload),
    perform: (context) => handlers[type](payload, context),
  };
}

function changedRelease(type: CommandType, payload: CommonFields) {
  switch (type) {
    case 'install_release':
    case 'upgrade_release':
    case 'uninstall_release':
      return `${payload.namespace ?? ''}/${payload.releaseName ?? ''}`;
    case 'list_releases':
    case 'get_release':
    case 'deployment_info':
      return undefined;
  }
}
