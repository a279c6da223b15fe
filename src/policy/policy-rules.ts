import * as z from 'zod';
import { messageOf } from '../errors/index.ts';
import { type Constraint, parseConstraint } from '../go/semver-constraint.ts';
import { printableSchema } from '../protocol/printable.ts';
import { windowSchema, windowTest } from '../protocol/window.ts';
import { patternsSchema, selectorFields } from '../rights/command-selector.ts';
import { readOwnerFile } from '../rights/owner-file.ts';
import { approversSchema, signersProblem, signersSchema, trustedKeysSchema } from '../signatures/trusted-keys.ts';
import { chartKeysSchema, verifyProblem, verifySchema } from './chart-keys.ts';
import { mirrorsSchema, pullSecretsSchema } from './mirrors.ts';
import { sizesSchema } from './sizes.ts';

/** Objects that templates may look up. */
export const lookupScopes = ['none', 'release', 'all'] as const;
export type LookupScope = (typeof lookupScopes)[number];

const maxRules = 1000;
const maxWindows = 20;
const maxNameLength = 100;
const maxTextLength = 1000;
const maxVersionsLength = 512;
const maxConditions = 20;
const maxExpressionLength = 4096;

const conditionSchema = z.strictObject({
  /** In CEL. */
  expression: z.string().min(1).max(maxExpressionLength),
  /** For errors. Default: the expression. */
  message: printableSchema(maxTextLength).min(1).optional(),
});

const versionsSchema = z
  .string()
  .max(maxVersionsLength)
  .transform((text, context): { text: string; constraint: Constraint } => {
    try {
      return { text, constraint: parseConstraint(text) };
    } catch (error) {
      context.addIssue({ code: 'custom', message: messageOf(error) });
      return z.NEVER;
    }
  });

const allowed = {
  /** Patterns of the reference of a chart. Default: all. */
  charts: patternsSchema,
  /** Range of the versions of a chart. Default: all. */
  versions: versionsSchema.optional(),
  /** Whether a command must have the digest of its chart. Default: false. */
  requireDigest: z.boolean().optional(),
  /** Patterns of the kinds of objects, as `Kind` or `Kind.group`. Default: all. */
  kinds: patternsSchema,
  /** Patterns of the kinds of objects that are refused, also if `kinds` has them. Default: none. */
  deniedKinds: patternsSchema,
  /** Patterns of the kinds of objects that commands and templates may read. Default: all. */
  readKinds: patternsSchema,
  /** Patterns of the kinds that they may not read, also if `readKinds` has them. Default: none. */
  deniedReadKinds: patternsSchema,
  /** Patterns of objects that give values: `Secret/NAME` or `ConfigMap/NAME`. Default: all. */
  valuesFrom: z
    .array(
      z
        .string()
        .max(512)
        .regex(
          /^(?:Secret|ConfigMap|\*)\/[a-z0-9.*-]+$/,
          'must be Secret/NAME or ConfigMap/NAME, in which * is any text',
        ),
    )
    .max(1000)
    .optional(),
  /** Patterns of the namespaces of objects, and `release` for that of the release. Default: all. */
  objectNamespaces: patternsSchema,
  /** Patterns of the images of containers. Default: all. */
  images: patternsSchema,
  /**
   * Range of the versions that `upgrade_agent` may upgrade the agent to. Default: those of
   * `images`.
   */
  agentVersions: versionsSchema.optional(),
  /**
   * Objects that templates may look up: none, those of the namespace of the release and those
   * without a namespace, or all. Default: those that the agent allows.
   */
  lookup: z.enum(lookupScopes, { error: `must be one of ${lookupScopes.join(', ')}` }).optional(),
  /** Sizes of charts, values and objects. Default: any. */
  sizes: sizesSchema.optional(),
  /** Signatures that charts must have. Default: those that commands ask for. */
  verify: verifySchema.optional(),
  /** Expressions that have to hold. Default: none. */
  conditions: z.array(conditionSchema).min(1).max(maxConditions).optional(),
  /** Times at which the commands may begin. Default: always. */
  windows: z.array(windowSchema.transform(windowTest)).min(1).max(maxWindows).optional(),
  /** Signatures that the commands must have. Default: none. */
  signedBy: signersSchema.optional(),
  /**
   * Approvals that a plan must have: the rule then allows changes only by plans. Default: none.
   */
  approvedBy: approversSchema.optional(),
};

/** All fields of a rule that say which commands it is for, and what it allows. */
export const ruleFields: readonly string[] = [...Object.keys(selectorFields), 'deny', ...Object.keys(allowed)];

/** The fields of a rule that limit what it allows, without its conditions. */
export const limitFields = [
  ...(['windows', 'charts', 'versions', 'requireDigest', 'kinds', 'deniedKinds', 'objectNamespaces'] as const),
  ...([
    'images',
    'agentVersions',
    'sizes',
    'lookup',
    'readKinds',
    'deniedReadKinds',
    'valuesFrom',
    'approvedBy',
    'verify',
  ] as const),
] satisfies (keyof typeof allowed)[];

const ruleSchema = z
  .strictObject({
    /** For errors and logs. */
    name: printableSchema(maxNameLength).min(1),
    ...selectorFields,
    /** Why the commands are refused. Default: they are allowed, within the limits of the rule. */
    deny: printableSchema(maxTextLength).min(1).optional(),
    ...allowed,
  })
  .superRefine((rule, context) => {
    const limits = Object.keys(allowed).filter((field) => rule[field as keyof typeof allowed] !== undefined);
    if (rule.deny === undefined || limits.length === 0) return;
    context.addIssue({ code: 'custom', message: `has deny, so ${limits.join(', ')} would have no effect` });
  });

const policySchema = z
  .strictObject({
    /** Why no command that changes something is performed now. Default: they are. */
    paused: printableSchema(maxTextLength).min(1).optional(),
    /** Keys whose signatures count. Default: none. */
    keys: trustedKeysSchema.default([]),
    /** Keys whose signatures of charts count. Default: none. */
    chartKeys: chartKeysSchema.default([]),
    /** Registries and repositories in place of others, for all commands. Default: none. */
    mirrors: mirrorsSchema.optional(),
    /** Secrets that pods get to pull images, for all commands. Default: none. */
    pullSecrets: pullSecretsSchema.default([]),
    rules: z.array(ruleSchema).max(maxRules),
    /** Treatment of commands that no rule is for. */
    default: z.enum(['deny', 'allow'], { error: 'must be deny or allow' }),
  })
  .superRefine(({ keys, chartKeys, rules }, context) => {
    const names = new Set<string>();
    rules.forEach(({ name }, index) => {
      if (names.has(name)) {
        context.addIssue({ code: 'custom', message: `another rule is named ${name}`, path: ['rules', index, 'name'] });
      }
      names.add(name);
      for (const field of ['signedBy', 'approvedBy'] as const) {
        const required = rules[index]?.[field];
        const problem = required && signersProblem(required, keys);
        if (problem === undefined) continue;
        context.addIssue({ code: 'custom', message: problem, path: ['rules', index, field] });
      }
      const verify = rules[index]?.verify;
      const problem = verify && verifyProblem(verify, chartKeys);
      if (problem !== undefined)
        context.addIssue({ code: 'custom', message: problem, path: ['rules', index, 'verify'] });
    });
  });

/** A policy, as its file describes it. */
export type PolicyRules = z.output<typeof policySchema>;
export type PolicyRule = PolicyRules['rules'][number];

/** Reads the text of a policy. Throws an Error that says what is wrong, and where. */
export function readPolicy(text: string): PolicyRules {
  return readOwnerFile(text, policySchema, 'default: deny');
}
