import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { OperationState } from '../state/operation-state.ts';

const reasonSchema = z.object({ code: z.string(), message: z.string() });

const trialSchema = z.object({
  /** Version of this shape. */
  format: z.literal(1),
  /** Id of the command, so that the process that continues it finds its trial. */
  id: z.string(),
  agentId: z.string(),
  /** Where the agent, its release and the Lease are. */
  namespace: z.string(),
  releaseName: z.string(),
  deployment: z.string(),
  lease: z.string(),
  /** The revision to return to. */
  from: z.int(),
  /** The plan of the upgrade. */
  plan: z.string(),
  /** The Job of the guardian, which is created again if it was deleted. */
  job: z.record(z.string(), z.unknown()),
  /** Label `pod-template-hash` of the pods of the version before. */
  oldTemplate: z.string(),
  /** Time for the new version to prove itself, and for which it must work, in milliseconds. */
  timeout: z.number(),
  settle: z.number(),
  /**
   * `planned`: no guardian has begun. `upgrading`: the plan is performed. `watching`: the new
   * version is to prove itself. `returning`: the revision before is deployed again. `settling`: its
   * pods start.
   */
  phase: z.enum(['planned', 'upgrading', 'watching', 'returning', 'settling', 'ended']),
  /** The guardian that writes. Undefined until one has begun. */
  guardian: z.string().optional(),
  /** Milliseconds since the Unix epoch at which the phase is over. */
  deadline: z.number().optional(),
  /** State of the upgrade or the rollback at its last checkpoint. */
  operation: z.record(z.string(), z.unknown()).optional(),
  /** The revision that was deployed last. */
  revision: z.int().optional(),
  /** Why the new version does not stay. */
  failure: reasonSchema.optional(),
  /** Why the version before could not be deployed again. */
  stuck: z.string().optional(),
  /** The pod that leads when the new version has proved itself, and its image. */
  leader: z.object({ pod: z.string(), image: z.string() }).optional(),
});

/** An upgrade of an agent by itself, as plain JSON data. */
export type Trial = z.output<typeof trialSchema>;

/** A trial as it is stored. */
export interface StoredTrial {
  trial: Trial;
  /** Changes with each write. */
  version: string;
}

/** Another process has written the trial. */
export class TrialChangedError extends Error {
  override readonly name = 'TrialChangedError';
}

/** The place of the trial of an agent, which has at most one. */
export interface TrialStore {
  /** Returns undefined if there is none. */
  read(signal?: AbortSignal): Promise<StoredTrial | undefined>;
  /** Stores a trial in place of the one of that version. Throws `TrialChangedError`. */
  write(trial: Trial, version: string | undefined): Promise<StoredTrial>;
  /** Removes the trial of a command. Another one stays. */
  remove(id: string): Promise<void>;
}

const fieldManager = 'helm-agent';

/** Returns the name of the Secret and of the Job of an agent's trial. */
export function trialName(agentId: string): string {
  return `helm-agent.upgrade.${createHash('sha256').update(agentId).digest('hex').slice(0, 30)}`;
}

/** Keeps the trial of an agent in a Secret of its namespace. */
export function trialSecret(
  cluster: Pick<Cluster, 'get' | 'create' | 'mergePatch' | 'delete'>,
  namespace: string,
  agentId: string,
): TrialStore {
  const ref: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace, name: trialName(agentId) };
  return {
    async read(signal) {
      const secret = await cluster.get(ref, signal);
      const trial = secret && decode(secret);
      return secret && trial && { trial, version: secret.metadata.resourceVersion ?? '' };
    },
    async write(trial, version) {
      const data = { state: Buffer.from(JSON.stringify(trial)).toString('base64') };
      const labels = { 'app.kubernetes.io/managed-by': 'helm-agent' };
      try {
        const written =
          version === undefined
            ? await cluster.create(
                {
                  ...{ apiVersion: 'v1', kind: 'Secret', type: 'helm-agent/upgrade', data },
                  metadata: { namespace, name: ref.name, labels },
                },
                { fieldManager },
              )
            : await cluster.mergePatch(ref, { metadata: { resourceVersion: version }, data }, { fieldManager });
        return { trial, version: written.metadata.resourceVersion ?? '' };
      } catch (error) {
        if (!hasClusterErrorCode(error, 'already_exists', 'conflict', 'not_found')) throw error;
        throw new TrialChangedError('another process has written the trial of the upgrade', { cause: error });
      }
    },
    async remove(id) {
      const secret = await cluster.get(ref);
      const { uid, resourceVersion } = secret?.metadata ?? {};
      if (secret === undefined || uid === undefined || decode(secret)?.id !== id) return;
      try {
        await cluster.delete(ref, { uid, ...(resourceVersion !== undefined && { resourceVersion }) });
      } catch (error) {
        if (!hasClusterErrorCode(error, 'conflict')) throw error; // that of another command
      }
    },
  };
}

/** Returns undefined for a Secret of another version of the program. */
function decode(secret: KubeObject): Trial | undefined {
  try {
    const text = Buffer.from(stringAt(secret, 'data', 'state') ?? '', 'base64').toString();
    return trialSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Returns the state of the operation that a trial performs, if it has a checkpoint. */
export function operationOfTrial({ operation }: Trial): OperationState | undefined {
  return operation as OperationState | undefined; // as a guardian has written it
}

/** Returns the Job of the guardian of a trial. */
export function jobOfTrial({ job }: Trial): KubeObject {
  return job as unknown as KubeObject; // as the agent has stored it
}

/** Returns a trial with a checkpoint of its operation. */
export function withOperation(trial: Trial, state: OperationState): Trial {
  return { ...trial, operation: { ...state } };
}
