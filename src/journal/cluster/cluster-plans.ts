import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { codeOf } from '../../operation/error.ts';
import type { PlanEntry } from '../../operation/plan/plan-entry.ts';
import { planLimits, type PlanLimits, type Plans } from '../../operation/plan/plans.ts';
import { secretRef } from './entry-head.ts';
import { deleteParts, fieldManager, isPassing, loadText, storeText, type JournalCluster } from './entry-texts.ts';

export interface ClusterPlansOptions {
  cluster: JournalCluster;
  /** The namespace of the Secrets: that of the agent. */
  namespace: string;
  agentId: string;
  /** Returns milliseconds since the Unix epoch. */
  now: () => number;
  /** Called for a problem that ends nothing, with a text that has no secret. */
  onProblem: (message: string, fields: object) => void;
  /** Default: `planLimits`. */
  limits?: PlanLimits;
}

/** Label with the agent of a plan. */
const agentLabel = 'helm-agent/plan';
/** Label with the release of a plan. */
const releaseLabel = 'helm-agent/plan-release';
/** Annotation with the id, the time of expiry, the size and the number of further Secrets. */
const headAnnotation = 'helm-agent/plan-head';

/** Pauses before further attempts to store a plan, in milliseconds. */
const pauses = [100, 500, 2000];

interface PlanHead {
  id: string;
  expiresAt: number;
  /** Compressed bytes. */
  bytes: number;
  parts: number;
}

interface StoredPlan {
  ref: ObjectRef;
  head: PlanHead;
}

/**
 * Returns a store of plans in the cluster: one Secret for each, with more of them if it does not
 * fit. Plans outlive the agent. Those that have expired are deleted when the next one is added.
 */
export function clusterPlans(options: ClusterPlansOptions): Plans {
  const { cluster, namespace, agentId, now, onProblem, limits = planLimits } = options;
  const never = new AbortController().signal;

  async function list(selector: string): Promise<StoredPlan[]> {
    const kind = { apiVersion: 'v1', kind: 'Secret', namespace };
    const found = await cluster.list({ ...kind, labelSelector: selector, metadataOnly: true }, never);
    return found.flatMap((secret) => {
      const head = headOf(secret);
      return head === undefined ? [] : [{ ref: secretRef(namespace, secret.metadata.name), head }];
    });
  }

  async function store({ id, expiresAt }: PlanEntry, text: string): Promise<void> {
    const ref = secretRef(namespace, `helm-agent.plan.${hash(`${agentId}\n${id}`)}`);
    const { data, parts, bytes } = await storeText(cluster, ref, agentId, 'payload', text, never);
    const head: PlanHead = { id, expiresAt, bytes, parts };
    const labels = {
      'app.kubernetes.io/managed-by': 'helm-agent',
      [agentLabel]: hash(agentId),
      [releaseLabel]: hash(releaseOf(id)),
    };
    const metadata = { namespace, name: ref.name, labels, annotations: { [headAnnotation]: JSON.stringify(head) } };
    const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata, type: agentLabel, data };
    try {
      await cluster.create(secret, { fieldManager, signal: never });
    } catch (error) {
      // the digest in the name is that of the content, so an earlier attempt has stored it
      if (!hasClusterErrorCode(error, 'already_exists')) throw error;
    }
  }

  async function remove({ ref, head }: StoredPlan): Promise<void> {
    try {
      await cluster.delete(ref, { signal: never });
      await deleteParts(cluster, ref, 'payload', head.parts, never);
    } catch (error) {
      onProblem('cannot delete a plan that has expired', { code: codeOf(error) ?? 'internal', name: ref.name });
    }
  }

  /** Deletes plans that have expired, and the oldest ones if there are too many. */
  async function makeRoom(): Promise<void> {
    const plans = (await list(`${agentLabel}=${hash(agentId)}`)).sort((a, b) => b.head.expiresAt - a.head.expiresAt);
    let bytes = 0;
    for (const [index, plan] of plans.entries()) {
      bytes += plan.head.bytes;
      const isKept = index < limits.maxCount && bytes <= limits.maxLength && plan.head.expiresAt > now();
      if (!isKept) await remove(plan);
    }
  }

  return {
    lifetime: limits.lifetime,
    isDurable: true,

    async add(entry) {
      const text = JSON.stringify(entry);
      for (let attempt = 0; ; attempt += 1) {
        try {
          await store(entry, text);
          break;
        } catch (error) {
          const pause = pauses[attempt];
          if (pause === undefined || !isPassing(error)) throw error;
          await sleep(pause);
        }
      }
      await makeRoom();
    },

    async find(id, isStarted = false) {
      const selector = `${agentLabel}=${hash(agentId)},${releaseLabel}=${hash(releaseOf(id))}`;
      const found = (await list(selector)).filter(
        ({ head }) => head.id.startsWith(id) && (isStarted || head.expiresAt > now()),
      );
      const [only] = found;
      if (only === undefined || found.length > 1) return undefined;
      const secret = await cluster.get(only.ref, never);
      if (secret === undefined) return undefined;
      const text = await loadText(cluster, secret, { parts: { payload: only.head.parts } }, 'payload', never);
      return text === undefined ? undefined : (JSON.parse(text) as PlanEntry); // as `add` wrote it
    },
  };
}

/** Returns undefined for a Secret of another version of the program. */
function headOf({ metadata }: KubeObject): PlanHead | undefined {
  try {
    return JSON.parse(metadata.annotations?.[headAnnotation] ?? '') as PlanHead; // as `store` wrote it
  } catch {
    return undefined;
  }
}

function releaseOf(id: string): string {
  return id.split('@')[0] ?? '';
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}
