import * as z from 'zod';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { maxDurationLength, timeoutSchema } from '../../protocol/duration.ts';
import { validate } from '../../protocol/validation.ts';
import { ControlPlaneError } from '../error.ts';
import { type Role, rolesSchema } from './role.ts';

export interface TokenOptions {
  /**
   * The name of the user: up to 253 letters, digits and `-._@:/+`. Several tokens can have it, as
   * while one replaces another.
   */
  name: string;
  roles: readonly Role[];
  /**
   * Time after which the token is not valid any more: days (`30d`), a Go duration (`12h`) or a
   * number of seconds, at most `3650d`. Default: `30d`.
   */
  expiresIn?: string | number | undefined;
}

/** The names of those who have no token of their own. */
export const builtInNames = { apiToken: 'api-token', local: 'local' } as const;

const dayMs = 24 * 3_600_000;
const maxDays = 3650;
const defaultLifetimeMs = 30 * dayMs;

const expiryProblem = `must be days such as 30d, a duration such as 12h, or a number of seconds, at most ${maxDays}d`;

const lifetimeSchema = z
  .union([z.string().max(maxDurationLength), z.number()], { error: expiryProblem })
  .transform((given, context) => {
    const days = typeof given === 'string' ? /^([1-9]\d{0,3})d$/.exec(given)?.[1] : undefined;
    const read = days === undefined ? timeoutSchema.safeParse(given).data : Number(days) * dayMs;
    if (read !== undefined && read <= maxDays * dayMs) return read;
    context.addIssue({ code: 'custom', message: expiryProblem });
    return z.NEVER;
  });

/** The name of a user, which no one can mistake for another one. */
export const userNameSchema = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9][-\w.@:/+]*$/, 'must be letters, digits and "-._@:/+", with a letter or digit first')
  .refine((name) => !(Object.values(builtInNames) as string[]).includes(name), 'is a name of the control plane');

/** Returns the schema of the options, as the body of a request. */
export function tokenOptionsSchema(table: CommandTable) {
  return z.strictObject({ name: userNameSchema, roles: rolesSchema(table), expiresIn: lifetimeSchema.optional() });
}

/** Returns the options as they are stored. Throws `ControlPlaneError` `bad_request`. */
export function readTokenOptions(options: unknown, table: CommandTable) {
  const validated = validate(tokenOptionsSchema(table), options, 'the body');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
  const { expiresIn: lifetimeMs = defaultLifetimeMs, ...rest } = validated.data;
  return { ...rest, lifetimeMs };
}
