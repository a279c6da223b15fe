import * as z from 'zod';
import { agentIdSchema } from '../../protocol/agent-id.ts';
import { boundedRecord } from '../../protocol/bounded.ts';
import { timeoutSchema } from '../../protocol/duration.ts';
import { validate } from '../../protocol/validation.ts';
import { ControlPlaneError } from '../error.ts';

export interface EnrolmentOptions {
  /** The id that the agent gets. */
  agentId: string;
  /** Labels of the agent, of the form that Kubernetes' labels have; at most 64. Default: none. */
  labels?: Readonly<Record<string, string>> | undefined;
  /**
   * Time after which the token is not valid any more: a Go duration (`10m`, `24h`) or a number of
   * seconds, at most `168h`. Default: `1h`.
   */
  expiresIn?: string | number | undefined;
  /** Whether an agent that has enrolled waits until `acceptAgent` is called. Default: false. */
  needsConsent?: boolean | undefined;
}

/** A token with which an agent can enrol once. */
export interface CreatedEnrolment {
  agentId: string;
  /** It is stored nowhere; only its hash is. */
  token: string;
  /** When the token ends, RFC 3339. */
  expiresAt: string;
  /** Whether the agent has a key, which ends when the token is used. */
  replacesKey: boolean;
}

const maxLabels = 64;

const labelKey = z
  .string()
  .max(317)
  .regex(
    /^([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/,
    'must be the key of a label in Kubernetes',
  );
const labelValue = z
  .string()
  .max(63)
  .regex(/^([A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?)?$/, 'must be the value of a label in Kubernetes');

/** The options without the id of the agent, as the body of a request. */
export const enrolmentBodySchema = z.object({
  labels: boundedRecord(labelKey, labelValue, maxLabels).default({}),
  expiresIn: timeoutSchema.optional(),
  needsConsent: z.boolean().default(false),
});

const optionsSchema = enrolmentBodySchema.extend({ agentId: agentIdSchema });

const defaultLifetimeMs = 3_600_000;

/** Throws `ControlPlaneError` `bad_request`. */
export function readEnrolmentOptions(options: EnrolmentOptions) {
  const validated = validate(optionsSchema, options, 'the options');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
  const { expiresIn: lifetimeMs = defaultLifetimeMs, ...rest } = validated.data;
  return { ...rest, lifetimeMs };
}
