import * as z from 'zod';
import { boundedRecord, longText } from '../../protocol/bounded.ts';
import { timeoutSchema } from '../../protocol/duration.ts';
import { printableSchema } from '../../protocol/printable.ts';
import { maxNameLength } from '../../protocol/resource.ts';
import { validate } from '../../protocol/validation.ts';
import { windowSchema } from '../../protocol/window.ts';
import { agentSelector } from '../access/role.ts';
import { ControlPlaneError } from '../error.ts';

const maxPayloadFields = 1000;
const maxDifferences = 1000;
const maxPatterns = 1000;
const maxWaves = 100;
const maxWindows = 100;
const maxConcurrency = 1000;

const defaults = { concurrency: 10, soakMs: 60_000, progressDeadlineMs: 3_600_000 };

const share = z
  .string()
  .max(4)
  .regex(/^(?:100|\d{1,2})%$/, 'must be a number, or a share such as 10%');
const count = z.int().nonnegative().max(1_000_000);
const amount = z.union([count, share], { error: 'must be a number, or a share such as 10%' });
/** A number of clusters, or a share of them as `10%`. */
export type Amount = z.output<typeof amount>;

const size = amount.refine((given) => given !== 0 && Number.parseInt(String(given), 10) > 0, 'must be more than 0');

const selection = {
  agents: z.array(printableSchema(253).min(1)).min(1).max(maxPatterns).optional(),
  labels: agentSelector.optional(),
};
/** Selects agents that match one of the patterns and the label selector. Default: all agents. */
export interface Selection {
  readonly agents?: readonly string[] | undefined;
  readonly labels?: string | undefined;
}

const pause = z.union([timeoutSchema, z.literal(false)], {
  error: 'must be a duration such as 10m, or a number of seconds, more than 0 and at most 168h, or false',
});

const values = z.union([longText, boundedRecord(z.string().max(maxNameLength), z.unknown(), maxPayloadFields)]);

const wave = z.strictObject({
  ...selection,
  size: size.optional(),
  approval: z.boolean().optional(),
  soak: pause.optional(),
  maxFailures: amount.optional(),
});

/** The rollout that a user asks for. */
export const rolloutSpecSchema = z.strictObject({
  id: z
    .string()
    .max(63)
    .regex(
      /^[A-Za-z0-9](?:[-A-Za-z0-9._]*[A-Za-z0-9])?$/,
      'must be at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends',
    )
    .optional(),
  ...selection,
  type: z.enum(['install_release', 'upgrade_release', 'upgrade_agent']).default('install_release'),
  payload: boundedRecord(z.string().max(maxNameLength), z.unknown(), maxPayloadFields),
  differences: z
    .array(z.strictObject({ ...selection, values }))
    .max(maxDifferences)
    .default([]),
  waves: z
    .array(wave)
    .min(1)
    .max(maxWaves)
    .default([{ size: 1 }, { size: '10%' }, {}]),
  concurrency: z.int().positive().max(maxConcurrency).default(defaults.concurrency),
  soak: pause.default(defaults.soakMs),
  approval: z.boolean().default(false),
  maxFailures: amount.default(0),
  maxTotalFailures: amount.optional(),
  progressDeadline: timeoutSchema.default(defaults.progressDeadlineMs),
  onFailure: z.enum(['revert', 'pause']).default('revert'),
  test: z.boolean().default(false),
  plan: z.boolean().default(false),
  job: z.string().min(1).max(253).optional(),
  check: z.string().min(1).max(63).optional(),
  windows: z.array(windowSchema.extend(selection)).max(maxWindows).default([]),
});

/** A rollout as it was asked for, with all defaults. Durations are in milliseconds. */
export type RolloutSpec = Readonly<z.output<typeof rolloutSpecSchema>>;
export type WaveSpec = RolloutSpec['waves'][number];

/** A rollout as it is asked for: the release, the agents and the rules. */
export type RolloutOptions = z.input<typeof rolloutSpecSchema>;

/** Throws `ControlPlaneError` `bad_request`. */
export function readRolloutSpec(options: unknown): RolloutSpec {
  const validated = validate(rolloutSpecSchema, options, 'the rollout');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
  const spec = validated.data;
  const problem = problemOf(spec);
  if (problem !== undefined) throw new ControlPlaneError('bad_request', problem);
  return spec;
}

/** Returns the number of clusters that an amount means, of a total. A share is rounded. */
export function countOf(given: Amount, total: number, round: (value: number) => number): number {
  return typeof given === 'number' ? given : round((Number.parseInt(given, 10) / 100) * total);
}

function problemOf({ agents, labels, type, payload, test, plan, job }: RolloutSpec): string | undefined {
  if (agents === undefined && labels === undefined) return 'agents or labels must select the agents; ["*"] selects all';
  for (const field of ['dryRun', 'ifBusy', 'chartArchive'] as const) {
    if (field in payload) return `payload.${field} is not possible in a rollout`;
  }
  if (type === 'upgrade_agent') {
    const [impossible] = Object.entries({ test, plan, job }).filter(
      ([, value]) => value !== undefined && value !== false,
    );
    return impossible === undefined ? undefined : `${impossible[0]} is not possible for upgrade_agent`;
  }
  const { releaseName } = payload;
  return typeof releaseName === 'string' && releaseName !== '' ? undefined : 'payload.releaseName is required';
}
