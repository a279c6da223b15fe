import * as z from 'zod';
import { parseLabelSelector } from '../../objects/label-selector.ts';
import { selector } from '../../protocol/bounded.ts';
import { rights } from '../../protocol/commands/definition.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { maxTypeLength } from '../../protocol/limits.ts';
import { printableSchema } from '../../protocol/printable.ts';

/** A set of rights, and their limits. A pattern can have `*` for any text. */
export interface Role {
  /**
   * Rights, or types of commands. `admin` includes all of them, and managing the agents of the
   * role. An administrator without any limit also manages tokens and reads the audit log.
   */
  readonly rights: readonly string[];
  /** Patterns of the ids of agents. Default: all agents. */
  readonly agents?: readonly string[] | undefined;
  /**
   * Label selector of agents, by the labels with which they were invited: `site=a,tier in (x,y)`.
   * Default: all agents.
   */
  readonly labels?: string | undefined;
  /** Patterns of namespaces. Default: all, also commands on all namespaces or on the cluster. */
  readonly namespaces?: readonly string[] | undefined;
  /** Patterns of the names of releases. Default: all, also commands that name no release. */
  readonly releases?: readonly string[] | undefined;
}

/** A user of the control plane: a person, or a program. */
export interface Principal {
  /** For logs and for agents, as `sentBy`: up to 256 characters, none of them a control one. */
  readonly name: string;
  readonly roles: readonly Role[];
  /** Aborts when the user is not authenticated any more; open streams end then. */
  readonly revoked?: AbortSignal | undefined;
}

const maxRoles = 20;
const maxItems = 100;
const maxPatternLength = 253;

const patterns = z
  .array(printableSchema(maxPatternLength).min(1))
  .min(1, 'must have an item; leave the field out for all')
  .max(maxItems)
  .optional();

/** Selects agents by their labels. An empty selector, which selects all, is refused. */
export const agentSelector = selector
  .min(1)
  .refine(isSelector, 'must be a label selector, such as site=a,tier in (x,y)');

/** Roles in a request. Exported for the test of all maxima. @public */
export const roleSchema = z.strictObject({
  rights: z.array(z.string().max(maxTypeLength)).min(1, 'must have an item').max(maxItems),
  agents: patterns,
  labels: agentSelector.optional(),
  namespaces: patterns,
  releases: patterns,
});

/** Returns the schema of roles with the rights, and the types of the commands, that are known. */
export function rolesSchema({ types }: CommandTable) {
  const known: ReadonlySet<string> = new Set([...rights, ...types]);
  const isKnown = (role: Role) => role.rights.every((right) => known.has(right));
  const error = `must have rights among ${rights.join(', ')}, or types of commands`;
  return z.array(roleSchema.refine(isKnown, { error })).min(1, 'must have an item').max(maxRoles);
}

function isSelector(text: string): boolean {
  try {
    return parseLabelSelector(text).length > 0;
  } catch {
    return false;
  }
}
