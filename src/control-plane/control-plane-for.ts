import { randomBytes, randomUUID } from 'node:crypto';
import type { CommandTable, Definitions } from '../protocol/commands/table.ts';
import { type CommandMethods, commandMethods } from './command-methods.ts';
import { ControlPlaneServer } from './control-plane.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';

/** Returns the class of control planes with a method for each command of a table. */
export function controlPlaneFor<All extends Definitions>(
  table: CommandTable<All>,
): new (options?: ControlPlaneOptions) => ControlPlaneServer & CommandMethods<All> {
  class ControlPlaneWithMethods extends ControlPlaneServer {
    constructor(options: ControlPlaneOptions = {}) {
      super(options, {
        table,
        now: () => new Date(),
        monotonic: () => performance.now(),
        newKey: randomUUID,
        randomBytes,
      });
      Object.assign(
        this,
        commandMethods(table, (agentId, request) => this.send(agentId, request)),
      );
    }
  }
  return ControlPlaneWithMethods as unknown as ReturnType<typeof controlPlaneFor<All>>; // the constructor adds the methods
}
