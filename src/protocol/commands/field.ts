import type * as z from 'zod';

/** Forms of flags, of which a field has those that give its values. */
type FlagKind<Value> =
  /** A switch. The field becomes `value` if it is given; default: true. `otherwise`: if not. */
  | (true extends Value ? { kind: 'switch'; value?: undefined; otherwise?: undefined; initial?: undefined } : never)
  /** `initial`: the switch is on unless it is turned off, as by `--server-side=false`. */
  | { kind: 'switch'; value: Exclude<Value, undefined>; otherwise?: Exclude<Value, undefined>; initial?: true }
  /** A switch that adds items to a list. */
  | (never[] extends Value ? { kind: 'part'; value: Exclude<Value, undefined> } : never)
  /** A switch that agents have on, and helm off. `ctl` also has `--no-NAME`, which turns it off. */
  | (true extends Value ? { kind: 'toggle' } : never)
  | (string extends Value ? { kind: 'text' } : never)
  /** A whole number; 0 and less is the same as no field. `default` is the number without a flag. */
  | (number extends Value ? { kind: 'number'; default?: number } : never)
  /** A number of revisions to keep. 0 means all, for which the packet has -1. */
  | (number extends Value ? { kind: 'limit' } : never)
  /** A duration, read as milliseconds, or a word that means false. The default is for the help. */
  | (number extends Value ? { kind: 'duration'; word?: string; initial?: string } : never)
  /** One of some words. `bare` is the word of a flag without a value. */
  | {
      kind: 'choice';
      choices: Readonly<Record<string, Exclude<Value, undefined>>>;
      /** Only of `ctl`. */
      bare?: string;
      /** The default as the help shows it. */
      initial?: string;
      /** Helm's error for another word, with `%s` for it. `ctl` adds the words if it lacks them. */
      refusal?: string;
    }
  /** Entries such as `a=1,b=2`; may be repeated. */
  | (Record<string, string> extends Value ? { kind: 'pairs' } : never)
  /** Forms of single fields. */
  | { kind: 'wait' | 'dry-run' | 'fail-fast' | 'step-timeouts' | 'values-from' };

/** A flag of `ctl VERB` and `helm VERB` that sets a field. */
export type FlagFor<Value> = FlagKind<Value> & {
  /** Without dashes. */
  name: string;
  /** One letter. */
  short?: string;
  /** One line for the help. */
  help: string;
  /** The only program that has the flag. Default: both have it. */
  only?: 'ctl' | 'helm';
  /** Name of a flag that may not be given together with this one. */
  excludes?: string;
  /** Advice, if helm has deprecated the flag. It has no line in the help of helm then. */
  deprecated?: string;
  /** The value without the flag with helm's defaults, if an agent has another one. */
  helmDefault?: Exclude<Value, undefined>;
};

/** A flag of any field. */
export type FieldFlag = FlagFor<unknown>;

/** A field of a command's payload. */
export interface Field<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** In the order of precedence, the last first. Empty: only packets can have the field. */
  readonly flags: readonly FieldFlag[];
}

/** The fields of a payload by name. */
export type Fields = Readonly<Record<string, Field>>;

/** The schemas of fields. */
export type ShapeOf<All extends Fields> = { -readonly [Name in keyof All]: All[Name]['schema'] };

/**
 * Returns a field. Its schema has the meaning for docs/protocol.md, its flags have the lines for
 * `--help`.
 */
export function field<Schema extends z.ZodType>(
  schema: Schema,
  ...flags: ReadonlyArray<FlagFor<z.output<Schema>>>
): Field<Schema> {
  return { schema, flags };
}

/** Returns the same field with another schema, such as one with another description. */
export function withSchema<Schema extends z.ZodType>({ flags }: Field, schema: Schema): Field<Schema> {
  return { schema, flags };
}

/** Returns the same field with further flags. */
export function withFlags<Schema extends z.ZodType>(
  { schema, flags }: Field<Schema>,
  ...more: ReadonlyArray<FlagFor<z.output<Schema>>>
): Field<Schema> {
  return { schema, flags: [...flags, ...more] };
}

/** Returns the same field without flags, for packets only. */
export function withoutFlags<Schema extends z.ZodType>({ schema }: Field<Schema>): Field<Schema> {
  return { schema, flags: [] };
}

/** Returns the same fields with flags that only one program has. */
export function onlyOf<All extends Fields>(program: 'ctl' | 'helm', fields: All): All {
  const limited = Object.entries(fields).map(([name, { schema, flags }]) => [
    name,
    { schema, flags: flags.map((flag) => ({ ...flag, only: program })) },
  ]);
  return Object.fromEntries(limited) as All; // the same schemas
}

export function shapeOf<All extends Fields>(fields: All): ShapeOf<All> {
  const shape = Object.entries(fields).map(([name, { schema }]) => [name, schema]);
  return Object.fromEntries(shape) as ShapeOf<All>; // the schema of each field
}

/** Returns fields without those with some names. */
export function without<All extends Fields, Name extends keyof All>(
  fields: All,
  ...names: readonly Name[]
): Omit<All, Name> {
  const left = Object.entries(fields).filter(([name]) => !(names as readonly PropertyKey[]).includes(name));
  return Object.fromEntries(left) as Omit<All, Name>; // the others
}
