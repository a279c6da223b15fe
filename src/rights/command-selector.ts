import * as z from 'zod';
import { type Right, rights } from '../protocol/commands/definition.ts';
import { commandTypes } from '../protocol/commands/index.ts';
import { matchesAny } from '../protocol/pattern.ts';
import { printableSchema } from '../protocol/printable.ts';

const maxItems = 100;
const maxPatternLength = 253;

/** Patterns, in which `*` is any text. */
export const patternsSchema = z
  .array(printableSchema(maxPatternLength).min(1))
  .min(1, 'must have an item; leave the field out for all')
  .max(maxItems)
  .optional();

/** The types of commands and the rights that they need, as the fields `commands` have them. */
export const commandNames = [...rights, ...commandTypes];

/** The fields of a rule that say which commands it is for. */
export const selectorFields = {
  /** Patterns of the namespace of the release. Default: all, also commands on all namespaces. */
  namespaces: patternsSchema,
  /** Patterns of the name of the release. Default: all, also commands on several releases. */
  releases: patternsSchema,
  /** Types of commands, or the rights that they need. Default: all. */
  commands: z
    .array(z.enum(commandNames, { error: `must be one of ${commandNames.join(', ')}` }))
    .min(1, 'must have an item; leave the field out for all')
    .max(maxItems)
    .optional(),
  /** Patterns of the sender that the control plane names. Default: all, also no sender. */
  callers: patternsSchema,
};

type Selector = { [Name in keyof typeof selectorFields]?: z.output<(typeof selectorFields)[Name]> };

/** The parts of a command by which rules select it. */
export interface CommandScope {
  type: string;
  /** The right that it needs. */
  right: Right;
  /** Undefined for a command on all namespaces. */
  namespace: string | undefined;
  /** Undefined for a command on several releases. */
  releaseName: string | undefined;
  /** Who has sent it, as the control plane says. */
  sentBy: string | undefined;
}

/** Returns whether a rule is for a command. */
export function isSelected({ namespaces, releases, commands: names, callers }: Selector, scope: CommandScope): boolean {
  const { type, right, namespace, releaseName, sentBy } = scope;
  return (
    matchesAny(namespaces, namespace) &&
    matchesAny(releases, releaseName) &&
    matchesAny(callers, sentBy) &&
    (names === undefined || names.some((name) => name === type || name === right))
  );
}

/** Returns a command in words, for an error. */
export function describeScope({ type, namespace, releaseName, sentBy }: CommandScope): string {
  const place = namespace === undefined ? 'all namespaces' : `the namespace ${namespace}`;
  const release = releaseName === undefined ? '' : ` on the release ${releaseName}`;
  return `${type}${release} in ${place}${sentBy === undefined ? '' : ` from ${JSON.stringify(sentBy)}`}`;
}
