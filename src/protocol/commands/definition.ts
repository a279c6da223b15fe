import * as z from 'zod';

/** Everything that the protocol knows about a command. */
export interface CommandDefinition<
  Payload extends z.ZodObject = z.ZodObject,
  Answer extends z.ZodObject = z.ZodObject,
  Method extends string = string,
> {
  /** One sentence for docs/protocol.md and the JSON Schema. */
  readonly summary: string;
  /** Name of the control plane's method that sends the command. */
  readonly method: Method;
  /** Fields of the payload. */
  readonly payload: Payload;
  /** Fields of a successful result. */
  readonly answer: Answer;
  /** The field of the answer that a reply in the plain form consists of. */
  readonly plainField: string & keyof z.output<Answer>;
  /**
   * Returns the key of the release that the command changes, and undefined if the command only
   * reads. Commands with the same key run one after the other.
   */
  readonly changes: (payload: z.output<Payload>) => string | undefined;
}

/** Returns the definition; infers its types. */
export function defineCommand<Payload extends z.ZodObject, Answer extends z.ZodObject, const Method extends string>(
  definition: CommandDefinition<Payload, Answer, Method>,
): CommandDefinition<Payload, Answer, Method> {
  return definition;
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
 * clients in Go send zero values for the fields that they leave out.
 */
export function payloadReader<Payload extends z.ZodObject>(payload: Payload): z.ZodType<z.output<Payload>> {
  return z.preprocess(withoutZeroValues, payload);
}

function withoutZeroValues(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return payload;
  return Object.fromEntries(
    Object.entries(payload).filter(([, value]) => value !== '' && value !== null && value !== 0),
  );
}
