import * as z from 'zod';
import { parseDuration } from '../go/duration.ts';
import { explainIssue } from '../protocol/validation.ts';
import { customFlag, type Flag, switchFlag } from './pflag/flag.ts';
import type { FlagValues } from './pflag/flag-values.ts';

/** A setting that comes from a flag or from the environment; the flag wins. */
export interface Setting {
  /** Name of the flag, without the hyphens. */
  flag: string;
  /** Name of its value in the help: `file`. Without it, the flag is a switch. */
  value?: string;
  variable: string;
  description: string;
  /** Default value, for the help. */
  default?: string;
}

/** Settings by the names of their values. */
export type Settings<Name extends string> = Readonly<Record<Name, Setting>>;

/** A setting that cannot be used. The message names its flag and its variable. */
class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** Returns an error about one setting. */
export function settingError({ flag, variable }: Setting, problem: string): Error {
  return new SettingError(`--${flag} (${variable}): ${problem}`);
}

/** Returns the flags of settings. */
export function settingFlags(settings: Settings<string>): Flag[] {
  return Object.values<Setting>(settings).map((setting) => {
    const { flag, value } = setting;
    const usage = usageOf(setting);
    return value === undefined ? switchFlag(flag, usage) : customFlag(value, flag, usage);
  });
}

function usageOf({ variable, description, default: fallback }: Setting): string {
  const notes = fallback === undefined ? `env: ${variable}` : `default: ${fallback}, env: ${variable}`;
  return `${description} (${notes})`;
}

/** The settings that flags set, by the names of their values. */
export type GivenSettings = Readonly<Record<string, unknown>>;

/** Returns the settings that flags set. */
export function givenSettings(settings: Settings<string>, flags: FlagValues): GivenSettings {
  const given = Object.entries<Setting>(settings).filter(([, { flag }]) => flags.isGiven(flag));
  const values = given.map(([name, { flag, value }]) => [
    name,
    value === undefined ? flags.isOn(flag) : flags.text(flag),
  ]);
  return Object.fromEntries(values) as GivenSettings; // pairs of a name and a value
}

/**
 * Reads settings with a schema whose fields have their names. An empty variable counts as unset.
 * Every rule of the schema must have a message of its own. Throws `SettingError`.
 */
export function readSettings<Shape extends z.ZodType>(
  schema: Shape,
  settings: Settings<string>,
  given: GivenSettings,
  env: Readonly<Record<string, string | undefined>>,
): z.output<Shape> {
  const values = Object.entries(settings)
    .map(([name, { variable }]) => [name, given[name] ?? (env[variable] || undefined)] as const)
    .filter(([, value]) => value !== undefined);
  const parsed = schema.safeParse(Object.fromEntries(values), { error: explainIssue });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const setting = settings[String(path[0])];
    return setting ? settingError(setting, message).message : message;
  });
  throw new SettingError(problems.join('\n'));
}

/** A switch: on if the flag is given, or if the variable is `true` or `1`. */
export const switchSchema = z
  .union([z.boolean(), z.enum(['true', '1', 'false', '0'])], { error: 'must be true or false' })
  .default(false)
  .transform((value) => value === true || value === 'true' || value === '1');

/** A TCP port; 0 lets the system choose a free one. */
export const portSchema = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number from 0 to 65535')
  .transform(Number)
  .refine((port) => port <= 65_535, 'must be a port number from 0 to 65535');

/** A duration of Go, such as `1m30s`, as milliseconds. */
export const durationSchema = z.string().transform((text, context) => {
  try {
    const milliseconds = Number(parseDuration(text) / 1_000_000n);
    if (milliseconds > 0) return milliseconds;
  } catch {
    // the message below says what is expected
  }
  context.addIssue({ code: 'custom', message: 'must be a duration above 0, such as 15s' });
  return z.NEVER;
});
