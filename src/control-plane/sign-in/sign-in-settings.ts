import { load } from 'js-yaml';
import * as z from 'zod';
import { messageOf } from '../../errors/index.ts';
import { isInsecureTransport } from '../../net/local-host.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { timeoutSchema } from '../../protocol/duration.ts';
import { printableSchema } from '../../protocol/printable.ts';
import { validate } from '../../protocol/validation.ts';
import { rolesSchema } from '../access/role.ts';

/** Most bytes of a sign-in file. */
export const maxSignInFileBytes = 256 * 1024;

const hourMs = 3_600_000;
const maxGroups = 500;
const maxScopes = 20;
const maxTextLength = 256;

const text = printableSchema(maxTextLength).min(1);
const lifetime = timeoutSchema;

/** An address whose traffic others cannot read, or one of this machine. */
const addressSchema = z
  .url({ protocol: /^https?$/, error: 'must be an https:// URL' })
  .max(2048)
  .refine((url) => !isInsecureTransport(url), 'must be an https:// URL; http:// is for this machine only');

function isOrigin(url: string): boolean {
  return URL.parse(url)?.origin === url.replace(/\/$/, '');
}

function schemaOf(table: CommandTable) {
  return z.strictObject({
    issuer: addressSchema,
    clientId: text,
    clientSecretFile: z.string().min(1).max(4096).optional(),
    url: addressSchema
      .refine(isOrigin, 'must have no path, such as https://helm-agent.example.com')
      .transform((url) => new URL(url).origin),
    scopes: z
      .array(text.regex(/^\S+$/, 'must have no white space'))
      .max(maxScopes)
      .default(['openid', 'email'])
      .refine((scopes) => scopes.includes('openid'), 'must include openid'),
    nameClaim: text.default('email'),
    namePrefix: printableSchema(64).optional(),
    groupsClaim: text.default('groups'),
    deviceSignIn: z.boolean().default(false),
    idle: lifetime.default(2 * hourMs),
    lifetime: lifetime.default(12 * hourMs),
    groups: z
      .array(z.strictObject({ group: text, roles: rolesSchema(table) }))
      .min(1, 'must have an item')
      .max(maxGroups),
  });
}

/** How people sign in: the content of a sign-in file. docs/operations.md describes its fields. */
export type SignInSettings = Readonly<z.output<ReturnType<typeof schemaOf>>>;

/** A sign-in file that cannot be used. */
export class SignInFileError extends Error {
  override readonly name = 'SignInFileError';
}

/** Reads the text of a sign-in file. Throws `SignInFileError`, which quotes nothing of it. */
export function readSignInSettings(yaml: string, table: CommandTable): SignInSettings {
  const validated = validate(schemaOf(table), parseYaml(yaml), 'the file');
  if ('problems' in validated) throw new SignInFileError(validated.problems.join('; '));
  return validated.data;
}

function parseYaml(yaml: string): unknown {
  try {
    return load(yaml);
  } catch (error) {
    // the rest of the message quotes the line
    throw new SignInFileError(`it is not YAML: ${messageOf(error).split('\n')[0] ?? ''}`);
  }
}
