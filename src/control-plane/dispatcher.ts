import { maxPacketBytes } from '../protocol/limits.ts';
import { encodePacket } from '../protocol/packet.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { SendRequest } from './command-methods.ts';
import type { CommandStore } from './command-store.ts';
import { ControlPlaneError } from './error.ts';
import { TrackedCommand } from './tracked-command.ts';

export interface DispatcherOptions {
  agents: AgentRegistry;
  commands: CommandStore;
  newKey: () => string;
}

/** Sends commands to agents. */
export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Sends a command, or returns the one that the key already names. Throws `ControlPlaneError`. */
  send(agentId: string, request: SendRequest): TrackedCommand {
    const { agents, commands, newKey } = this.#options;
    const { type, key = newKey() } = request;
    const packet = { key, type, payload: JSON.stringify(request.payload ?? {}) };
    const known = commands.get(key);
    if (known?.matches(agentId, packet)) return known;
    if (known) throw new ControlPlaneError('key_reused', `the key ${key} already names another command`);
    const agent = agents.get(agentId);
    if (!agent) throw new ControlPlaneError('agent_not_connected', `no agent is connected as ${agentId}`);
    if (!agent.capabilities.includes(type)) {
      throw new ControlPlaneError('unknown_command', `the agent ${agentId} does not know the command ${type}`);
    }
    const limit = Math.min(agent.limits.maxPacketBytes, maxPacketBytes);
    if (Buffer.byteLength(encodePacket(packet)) > limit) {
      throw new ControlPlaneError('too_large', `the command is larger than ${limit} bytes`);
    }
    const command = new TrackedCommand(agent, packet);
    commands.add(command);
    agents.send(command);
    return command;
  }
}
