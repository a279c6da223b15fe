import { Option, type Command } from 'commander';
import { z } from 'zod';

/** A setting that a flag or the environment gives; the flag wins. */
interface Setting {
  /** As commander writes it: `--token-file <file>`. Without a value it is a switch. */
  flag: string;
  variable: string;
  description: string;
}

/** Settings by the names of their values. */
export type Settings<Name extends string> = Readonly<Record<Name, Setting>>;

/** A setting that cannot be used. The message names its flag and its variable. */
class SettingError extends Error {
  override readonly name = 'SettingError';
}

export function addSettings(command: Command, settings: Settings<string>): void {
  for (const { flag, variable, description } of Object.values(settings)) {
    command.addOption(new Option(flag, `${description} (${variable})`));
  }
}

/** Reads settings by a schema whose fields have their names. Throws `SettingError`. */
export function readSettings<Shape extends z.ZodType>(
  schema: Shape,
  settings: Settings<string>,
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): z.output<Shape> {
  const given = Object.entries(settings)
    .map(([name, { variable }]) => [name, flags[name] ?? (env[variable] || undefined)] as const)
    .filter(([, value]) => value !== undefined);
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const setting = settings[String(path[0])];
    return setting ? `${setting.flag.split(' ')[0] ?? ''} (${setting.variable}): ${message}` : message;
  });
  throw new SettingError(problems.join('\n'));
}

/** A switch: present as a flag, or `true` or `1` in the environment. */
export const switchSchema = z
  .union([z.boolean(), z.enum(['true', '1', 'false', '0'])], { error: 'must be true or false' })
  .default(false)
  .transform((value) => value === true || value === 'true' || value === '1');
