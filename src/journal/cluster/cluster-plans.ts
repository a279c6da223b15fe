import { retry } from '../../async/index.ts';
import { codeOf } from '../../errors/index.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { type PlanEntry, planText, readPlan } from '../../operation/plan/plan-entry.ts';
import {
  expiryGrace,
  type PlanLimits,
  planLimits,
  plansToDrop,
  releaseOf,
} from '../../operation/plan/plan-retention.ts';
import { maxApprovals, missingPlan, type Plans, tooManyApprovals } from '../../operation/plan/plans.ts';
import { secretRef, shortHash } from './entry-head.ts';
import { deleteParts, fieldManager, isPassing, type JournalCluster, loadText, storeText } from './entry-texts.ts';

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

const agentLabel = 'helm-agent/plan';
const releaseLabel = 'helm-agent/plan-release';
/** Annotation with the id, the time of expiry, the size and the number of further Secrets. */
const headAnnotation = 'helm-agent/plan-head';

/** Start of the names of annotations with an approval each. */
const approvalPrefix = 'helm-agent/approval.';

/** Annotation with which its owner approves a plan. Its value is the whole digest. */
const approvedAnnotation = 'helm-agent/approved';

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
  annotations: Readonly<Record<string, string>>;
}

/**
 * Returns a store of plans in the cluster: one Secret for each, with more of them if it does not
 * fit. Plans outlive the agent.
 */
export function clusterPlans(options: ClusterPlansOptions): Plans {
  const { cluster, namespace, agentId, now, onProblem, limits = planLimits } = options;
  const never = new AbortController().signal;

  async function list(selector: string): Promise<StoredPlan[]> {
    const kind = { apiVersion: 'v1', kind: 'Secret', namespace };
    const found = await cluster.list({ ...kind, labelSelector: selector, metadataOnly: true }, never);
    return found.flatMap((secret) => {
      const head = headOf(secret);
      const { name, annotations = {} } = secret.metadata;
      return head === undefined ? [] : [{ ref: secretRef(namespace, name), head, annotations }];
    });
  }

  function refOf(id: string): ObjectRef {
    return secretRef(namespace, `helm-agent.plan.${shortHash(`${agentId}\n${id}`)}`);
  }

  async function store({ id, expiresAt }: PlanEntry, text: string): Promise<void> {
    const ref = refOf(id);
    const { data, parts, bytes } = await storeText(cluster, ref, agentId, 'payload', text, never);
    const head: PlanHead = { id, expiresAt, bytes, parts };
    const labels = {
      'app.kubernetes.io/managed-by': 'helm-agent',
      [agentLabel]: shortHash(agentId),
      [releaseLabel]: shortHash(releaseOf(id)),
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

  /** Returns the plan with this id, or whose id starts with it, unless several do. */
  async function onlyOf(id: string, isWanted: (head: PlanHead) => boolean): Promise<StoredPlan | undefined> {
    const selector = `${agentLabel}=${shortHash(agentId)},${releaseLabel}=${shortHash(releaseOf(id))}`;
    const found = (await list(selector)).filter(({ head }) => head.id.startsWith(id) && isWanted(head));
    return found.length === 1 ? found[0] : undefined;
  }

  async function drop({ ref, head }: StoredPlan): Promise<void> {
    try {
      await cluster.delete(ref, { signal: never });
      await deleteParts(cluster, ref, 'payload', head.parts, never);
    } catch (error) {
      onProblem('cannot delete a plan', { code: codeOf(error) ?? 'internal', name: ref.name });
    }
  }

  async function makeRoom({ added, grace = 0 }: { added?: string; grace?: number }): Promise<void> {
    const stored = await list(`${agentLabel}=${shortHash(agentId)}`);
    const plans = stored.map((plan) => ({ ...plan, ...plan.head, size: plan.head.bytes }));
    for (const plan of plansToDrop(plans, limits, now() - grace, added)) await drop(plan);
  }

  return {
    lifetime: limits.lifetime,
    isDurable: true,

    async add(entry) {
      const text = planText(entry);
      await retry(() => store(entry, text), { pauses, canRetry: isPassing });
      await makeRoom({ added: entry.id });
    },

    async find(id, isStarted = false) {
      const only = await onlyOf(id, ({ expiresAt }) => isStarted || expiresAt > now());
      if (only === undefined) return undefined;
      const secret = await cluster.get(only.ref, never);
      if (secret === undefined) return undefined;
      const text = await loadText(cluster, secret, { parts: { payload: only.head.parts } }, 'payload', never);
      return text === undefined ? undefined : readPlan(text);
    },

    async remove(id) {
      const only = await onlyOf(id, () => true);
      if (only !== undefined) await drop(only);
    },

    async approve(id, envelope) {
      const plan = await onlyOf(id, (head) => head.id === id && head.expiresAt > now());
      if (plan === undefined) throw missingPlan(id, limits);
      const others = envelopesOf(plan).filter((known) => known !== envelope);
      if (others.length >= maxApprovals) throw tooManyApprovals(id);
      const annotations = { [`${approvalPrefix}${shortHash(envelope)}`]: envelope };
      await cluster.mergePatch(plan.ref, { metadata: { annotations } }, { fieldManager, signal: never });
    },

    async approvals(id) {
      const plan = await onlyOf(id, (head) => head.id === id);
      if (plan === undefined) return { envelopes: [], isAnnotated: false };
      return { envelopes: envelopesOf(plan), isAnnotated: plan.annotations[approvedAnnotation] === id.split('@')[1] };
    },

    secretOf: (id) => `${namespace}/${refOf(id).name}`,

    dropExpired: () => makeRoom({ grace: expiryGrace }),
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

/** Returns the approvals that a plan was given, of which none is verified. */
function envelopesOf({ annotations }: StoredPlan): string[] {
  const found = Object.entries(annotations).filter(([name]) => name.startsWith(approvalPrefix));
  return found.slice(0, maxApprovals).map(([, envelope]) => envelope);
}
