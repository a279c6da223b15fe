import { type CommandTarget, targetOf } from '../../protocol/commands/command-target.ts';
import type { Right } from '../../protocol/commands/definition.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { isNamespacedKind } from './namespaced-kinds.ts';

/** The right that a command needs, and its subject. */
export interface CommandScope extends CommandTarget {
  right: Right;
  /** Whether the command can change something. */
  canChange: boolean;
}

/** A command that the table does not have can be anything. */
const unknownScope: CommandScope = { right: 'admin', namespace: undefined, releaseName: undefined, canChange: true };

/**
 * Returns the scope of a command. A payload that does not fit the command is about all namespaces:
 * an agent of another version may read it.
 */
export function commandScope(table: CommandTable, type: string, payload: unknown): CommandScope {
  const known = table.find(type);
  if (!known) return unknownScope;
  const { definition } = known;
  const { right, isClusterWide = false } = definition;
  const read = known.reader.safeParse(payload);
  if (!read.success) return { ...unknownScope, right };
  const canChange = definition.changes(read.data) !== undefined || type === 'cancel_command';
  if (isClusterWide) return { ...unknownScope, right, canChange };
  const target = targetOf(read.data);
  const { kind, apiVersion } = read.data;
  const isOfNamespace = typeof kind !== 'string' || isNamespacedKind(kind, apiVersion);
  return { ...target, right, canChange, ...(!isOfNamespace && { namespace: undefined }) };
}
