import * as z from 'zod';
import { type Fields, type ShapeOf, shapeOf } from './field.ts';

/** The rights that commands need, from the least to those that the agent's owner has to allow. */
export const rights = ['read', 'deploy', 'admin', 'act', 'logs', 'support', 'exec'] as const;

/** Rights that senders of commands need. */
export type Right = (typeof rights)[number];

/** The rights that agents grant unless their owner names others. */
export const defaultRights: readonly Right[] = ['read', 'deploy', 'admin'];

/** Rights of Kubernetes to resources, as a rule of a role gives them. */
export interface ResourceRights {
  /** Empty for the core group. */
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** An argument of a command line, and the field that it sets. */
interface Argument<Field extends string = string> {
  field: Field;
  /** Candidates that a shell offers. It has none for a `name` or a `count`, a number from 0. */
  kind: 'name' | 'release' | 'revision' | 'chart' | 'plan' | 'count';
  /** For the lines of `ctl` and `helm` with their arguments: `RELEASE_NAME`. */
  shown: string;
  /** Kinds that may be before it, as in `deploy/web`. Default: none. */
  ofKind?: readonly string[];
  isOptional?: boolean;
}

/** How `ctl` and `helm` call the command. */
export interface CommandLine<Field extends string = string> {
  name: string;
  aliases?: readonly string[];
  /** One line for the list of commands. */
  short: string;
  /** The first part of the help. Default: {@link short}. */
  long?: string;
  /** The last argument may be given more than once: the command is sent for each. */
  arguments: readonly Argument<Field>[];
  repeats?: boolean;
  /** Arguments and flags after `helm NAME`, for its help; that of `ctl NAME` adds `--agent`. */
  examples: readonly string[];
}

/** Everything that is known about a command, without its operation and its output. */
export interface CommandDefinition<
  All extends Fields = Fields,
  Answer extends z.ZodObject = z.ZodObject,
  Method extends string = string,
> {
  /** One sentence for docs/protocol.md and the JSON Schema. */
  readonly summary: string;
  /** Name of the control plane's method that sends the command. */
  readonly method: Method;
  /** The fields of the payload, with their flags. */
  readonly fields: All;
  /** The schema of the payload, made from {@link fields}. */
  readonly payload: z.ZodObject<ShapeOf<All>>;
  /** Fields of a successful result. */
  readonly answer: Answer;
  /** The field of the answer that a reply in the plain form consists of. */
  readonly plainField: string & keyof z.output<Answer>;
  /**
   * Returns the key of the release or object that the command changes, and undefined if the command
   * only reads. Commands with the same key run one after the other.
   */
  changes(payload: z.output<z.ZodObject<ShapeOf<All>>>): string | undefined;
  /** Fields in which 0 does not count as absent. Default: none. */
  readonly zeroFields?: readonly (string & keyof All)[];
  readonly right: Right;
  /**
   * Rights of Kubernetes that the command needs besides those to releases and to the objects of
   * charts. Default: none.
   */
  readonly resourceRights?: readonly ResourceRights[];
  /**
   * The stream between the command and its sender: bytes of the agent, or messages in both
   * directions. Default: there is none.
   */
  readonly stream?: 'readable' | 'duplex';
  /**
   * Whether the stream is a session with a program, which can be recorded, and watched by others.
   * Default: false.
   */
  readonly isSession?: boolean;
  /**
   * Whether the answer is about the whole cluster, also if the payload names a namespace. Default:
   * false.
   */
  readonly isClusterWide?: boolean;
  /**
   * Whether the command can run until its sender ends it, such as a watch or a session. Such
   * commands have a limit of their own, so that they do not block those that only read. Default:
   * false.
   */
  readonly follows?: boolean;
  /** Whether another process continues the command, or performs it again, if the agent ends. */
  readonly survives: boolean;
  /** Whether the agent performs the command with its own rights, whatever its rights file says. */
  readonly asAgent?: boolean;
  /** Undefined if `ctl` and `helm` have other command lines for it. */
  readonly line?: CommandLine<string & keyof All>;
}

/** A definition without what is derived from its fields. */
type Given<All extends Fields, Answer extends z.ZodObject, Method extends string> = Omit<
  CommandDefinition<All, Answer, Method>,
  'payload'
>;

/** Returns the definition of a command; infers its types. */
export function defineCommand<const All extends Fields, Answer extends z.ZodObject, const Method extends string>(
  given: Given<All, Answer, Method>,
): CommandDefinition<All, Answer, Method> {
  return { ...given, payload: z.object(shapeOf(given.fields)) };
}

/** Returns the key of a release, for `CommandDefinition.changes`. A dry run changes nothing. */
export function releaseKey(payload: {
  namespace: string;
  releaseName: string;
  dryRun?: boolean | 'none' | 'client' | 'server' | undefined;
}): string | undefined {
  return isDryRun(payload.dryRun) ? undefined : `${payload.namespace}/${payload.releaseName}`;
}

/** Whether the value of a field `dryRun` asks for a dry run. */
export function isDryRun(dryRun: boolean | 'none' | 'client' | 'server' | undefined): boolean {
  return dryRun !== undefined && dryRun !== false && dryRun !== 'none';
}

/**
 * Returns a schema that reads the payload. An empty string, null and 0 count as absent, because
 * clients in Go send zero values for the fields that they leave out. `zeroFields` may be 0.
 */
export function payloadReader<Payload extends z.ZodObject>(
  payload: Payload,
  zeroFields: readonly string[] = [],
): z.ZodType<z.output<Payload>> {
  return z.preprocess((given) => withoutZeroValues(given, zeroFields), payload);
}

/** Returns the schema of a command's successful result. */
export function commandAnswerSchema({ answer }: Pick<CommandDefinition, 'answer'>) {
  return z.looseObject({ ok: z.literal(true), ...answer.shape });
}

function withoutZeroValues(payload: unknown, zeroFields: readonly string[]): unknown {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return payload;
  const isAbsent = (name: string, value: unknown) =>
    value === '' || value === null || (value === 0 && !zeroFields.includes(name));
  return Object.fromEntries(Object.entries(payload).filter(([name, value]) => !isAbsent(name, value)));
}
