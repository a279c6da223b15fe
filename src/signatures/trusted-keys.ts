import * as z from 'zod';
import type { TimeRange } from '../objects/cluster.ts';
import { printableSchema } from '../protocol/printable.ts';
import { readPublicKey } from './public-key.ts';
import { SignatureError } from './signature-error.ts';

const maxKeys = 100;
const maxRoles = 20;
const maxNameLength = 100;

const rolesSchema = z.array(printableSchema(maxNameLength).min(1)).min(1, 'must name a role').max(maxRoles);

const timeSchema = z.iso
  .datetime({ error: 'must be a time in UTC, such as 2026-01-31T00:00:00Z' })
  .transform(Date.parse);

const publicKeySchema = z.string().transform((text, context) => {
  try {
    return readPublicKey(text);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
});

const keySchema = z
  .strictObject({
    /** The holder. Several keys of one holder count as one. */
    name: printableSchema(maxNameLength).min(1),
    /** In PEM, or a line `ssh-ed25519 AAAA…`. */
    publicKey: publicKeySchema,
    roles: rolesSchema,
    /** Time from which its signatures count. Default: always. */
    notBefore: timeSchema.optional(),
    /** Time until which its signatures count. Default: always. */
    notAfter: timeSchema.optional(),
  })
  .transform(({ publicKey, ...fields }) => ({ ...fields, ...publicKey }));

/** A public key that the owner of a cluster trusts. */
export type TrustedKey = z.output<typeof keySchema>;

/** The keys of a policy. */
export const trustedKeysSchema = z
  .array(keySchema)
  .max(maxKeys)
  .superRefine((keys, context) => {
    const seen = new Set<string>();
    keys.forEach(({ id, name, notBefore = 0, notAfter = Infinity }, index) => {
      if (seen.has(id)) {
        const message = `${name} has a key that is in the list already; give it all its roles there`;
        context.addIssue({ code: 'custom', message, path: [index, 'publicKey'] });
      }
      if (notAfter <= notBefore) {
        context.addIssue({ code: 'custom', message: 'must be after notBefore', path: [index, 'notAfter'] });
      }
      seen.add(id);
    });
  });

/** The signatures that a rule requires: of this many holders of keys with one of the roles. */
export const signersSchema = z.strictObject({
  count: z.int().min(1).max(8).default(1),
  roles: rolesSchema,
});

export type RequiredSigners = z.output<typeof signersSchema>;

/** The approvals of a plan that a rule requires. */
export const approversSchema = signersSchema
  .extend({
    /** Whether the annotation of the plan's Secret counts as an approval of one more holder. */
    annotation: z.boolean().default(false),
    /** Default: keys do not count. */
    roles: rolesSchema.default([]),
  })
  .refine(({ roles, annotation }) => roles.length > 0 || annotation, 'must name roles, or have annotation: true');

export type RequiredApprovers = z.output<typeof approversSchema>;

/** Returns the names of the holders whose keys have one of the roles, each once. */
export function holdersOf(keys: readonly TrustedKey[], { roles }: Pick<RequiredSigners, 'roles'>): string[] {
  const matching = keys.filter((key) => key.roles.some((role) => roles.includes(role)));
  return [...new Set(matching.map(({ name }) => name))];
}

/** Returns the keys that are valid at a time. */
export function keysAt(keys: readonly TrustedKey[], { earliest, latest }: TimeRange): TrustedKey[] {
  return keys.filter(({ notBefore = -Infinity, notAfter = Infinity }) => notBefore <= latest && earliest < notAfter);
}

/**
 * Returns what is wrong with required signatures or approvals, or undefined if they can be given.
 */
export function signersProblem(
  required: RequiredSigners & Partial<RequiredApprovers>,
  keys: readonly TrustedKey[],
): string | undefined {
  const unknown = required.roles.find((role) => !keys.some((key) => key.roles.includes(role)));
  if (unknown !== undefined) return `no key has the role ${unknown}`;
  const length = holdersOf(keys, required).length + (required.annotation === true ? 1 : 0);
  return length < required.count
    ? `${required.count} holders are required, and the keys have only ${length}`
    : undefined;
}
