import type * as z from 'zod';
import { commandAnswerSchema, type CommandDefinition, payloadReader } from './definition.ts';

/** Definitions of commands by type. */
export type Definitions = Readonly<Record<string, CommandDefinition>>;

/** A command of a table, with what is derived from its definition. */
interface KnownCommand {
  readonly definition: CommandDefinition;
  /** Reads the payload of a packet. */
  readonly reader: z.ZodType<Record<string, unknown>>;
  /** Reads a successful result. */
  readonly answerReader: ReturnType<typeof commandAnswerSchema>;
}

/** The commands that a program knows. */
export interface CommandTable<All extends Definitions = Definitions> {
  readonly definitions: All;
  readonly types: readonly string[];
  /** Returns a command, or undefined if the table does not have it. */
  find(type: string): KnownCommand | undefined;
}

/**
 * Returns the table of some commands. Agents, control planes, `ctl` and `helm` can be given a table
 * in place of that of helm-agent.
 */
export function createCommandTable<const All extends Definitions>(definitions: All): CommandTable<All> {
  const known = new Map(Object.entries(definitions).map(([type, definition]) => [type, knownCommand(definition)]));
  return { definitions, types: [...known.keys()], find: (type) => known.get(type) };
}

function knownCommand(definition: CommandDefinition): KnownCommand {
  let answerReader: KnownCommand['answerReader'] | undefined;
  return {
    definition,
    reader: payloadReader(definition.payload, definition.zeroFields),
    // agents do not need it, and a schema takes time and memory
    get answerReader() {
      return (answerReader ??= commandAnswerSchema(definition));
    },
  };
}
