import { createHash, randomUUID } from 'node:crypto';
import { advance, type Presence } from '../../../../src/control-plane/rollouts/advance.ts';
import { clusterCommand } from '../../../../src/control-plane/rollouts/cluster-command.ts';
import {
  type Changes,
  type Cluster,
  clusterOf,
  commandKey,
  isActive,
  newStatus,
  type Rollout,
} from '../../../../src/control-plane/rollouts/rollout.ts';
import { readRolloutSpec, type RolloutOptions } from '../../../../src/control-plane/rollouts/rollout-spec.ts';
import { settle } from '../../../../src/control-plane/rollouts/settle.ts';
import { wavesOf } from '../../../../src/control-plane/rollouts/waves.ts';
import type { CommandResult } from '../../../../src/protocol/messages.ts';
import { testRelease } from '../../../agent/support/release.ts';

/** A cluster with one release, which performs commands at once, and each key once. */
export class FakeCluster {
  presence: Presence = 'connected';
  /** When it was connected last, in milliseconds. */
  connectedSince = 0;
  labels: Record<string, string> = {};
  /** The outcome of each update. */
  outcome:
    | 'ok'
    | 'denied_by_policy'
    | 'approval_required'
    | 'plan_stale'
    | 'not_ready'
    | 'busy'
    | 'agent_restarted'
    | 'test fails'
    | 'job fails' = 'ok';
  /** The difference in each plan. */
  differing = 'replicas';
  /** The CronJobs that have run. */
  readonly jobs: string[] = [];
  /** The plans that are kept, with their charts. */
  readonly plans = new Map<string, string>();
  /** The results of `get_plan`, by the whole id of the plan. */
  readonly shownPlans = new Map<string, object>();
  /** The approvals in all results of `get_plan`. */
  approvals: object = {};
  /** The end of plans that are made, in milliseconds. */
  planExpiry = Date.UTC(2100, 0);
  /** The revisions of the release, the newest last. */
  readonly revisions: { chart: string; status: string; description?: string }[] = [];
  readonly results = new Map<string, CommandResult>();
  readonly #salt = randomUUID();

  constructor(deployed: readonly string[] = ['old']) {
    for (const chart of deployed) this.revisions.push({ chart, status: 'deployed' });
  }

  /** The chart that is deployed. */
  get chart(): string | undefined {
    return this.revisions.findLast(({ status }) => status === 'deployed')?.chart;
  }

  perform(key: string, type: string, payload: Readonly<Record<string, unknown>>): CommandResult {
    const known = this.results.get(key);
    if (known) return known;
    const result = this.#perform(type, payload);
    this.results.set(key, result);
    return result;
  }

  #perform(type: string, payload: Readonly<Record<string, unknown>>): CommandResult {
    switch (type) {
      case 'release_history':
        return this.revisions.length === 0 ? failure('release_not_found') : { ok: true, releases: this.#history() };
      case 'plan_release':
        return this.#plan(payload);
      case 'get_plan': {
        const plan = this.shownPlans.get(String(payload['plan']));
        return plan === undefined ? failure('plan_not_found') : { ok: true, ...plan, approvals: [], ...this.approvals };
      }
      case 'apply_plan': {
        const chart = this.plans.get(String(payload['plan']));
        if (chart === undefined) return failure('plan_not_found');
        if (this.outcome === 'not_ready') this.#deploy(chart, 'failed');
        if (this.outcome !== 'ok') return failure(this.outcome);
        this.plans.clear();
        return this.#deploy(chart, 'deployed');
      }
      case 'install_release':
        // only the result is lost
        if (this.outcome === 'agent_restarted') this.#deploy(String(payload['chartName']), 'deployed');
        if (this.outcome === 'not_ready') this.#deploy(String(payload['chartName']), 'failed');
        if (!['ok', 'test fails', 'job fails'].includes(this.outcome)) return failure(this.outcome);
        return this.#deploy(String(payload['chartName']), 'deployed');
      case 'run_job':
        this.jobs.push(String(payload['name']));
        return this.outcome === 'job fails' ? failure('not_ready') : { ok: true, changes: [] };
      case 'test_release':
        return { ok: true, release: testRelease(), passed: this.outcome !== 'test fails' };
      case 'rollback_release': {
        const { version } = payload;
        const chart = this.revisions[Number(version) - 1]?.chart ?? '';
        return this.#deploy(chart, 'deployed', `Rollback to ${Number(version)}`);
      }
      case 'uninstall_release':
        this.revisions.length = 0;
        return { ok: true };
      default:
        return failure('unknown_command');
    }
  }

  #plan({ chartName, releaseName, namespace = 'default' }: Readonly<Record<string, unknown>>): CommandResult {
    const chart = String(chartName);
    const digest = createHash('sha256').update(`${this.#salt} ${this.plans.size} ${chart}`).digest('hex');
    const plan = `${String(namespace)}/${String(releaseName)}@${digest}`;
    this.plans.set(plan, chart);
    const fields = [{ path: 'spec.template.spec.containers[name=app].image', before: 'app:1', after: 'app:2' }];
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: String(namespace), name: this.differing };
    const differences = [{ change: 'changed' as const, ...object, fields }];
    const expires = new Date(this.planExpiry).toISOString();
    const about = { action: 'upgrade', chart: `${chart} 1.0.0`, crds: [], hooks: [], unchanged: 2 };
    const shown = { plan, digest, expires, ...about, differences };
    this.shownPlans.set(plan, shown);
    return { ok: true, ...shown };
  }

  #deploy(chart: string, status: string, description = ''): CommandResult {
    if (status === 'deployed') for (const revision of this.revisions) revision.status = 'superseded';
    this.revisions.push({ chart, status, description });
    return { ok: true, release: testRelease('web', { version: this.revisions.length }) };
  }

  #history() {
    return this.revisions.map(({ status, description = '' }, index) =>
      testRelease('web', { version: index + 1, info: { status, description } }),
    );
  }
}

const messages: Readonly<Record<string, string>> = {
  not_ready: 'Deployment shop/web has 1 of 2 replicas ready: container app exits with 1, 4 times in a row',
  approval_required: 'the policy of the cluster requires an approval of this plan by alice',
};

function failure(code: string): CommandResult {
  return { ok: false, error: { code, message: messages[code] ?? `the cluster responds with ${code}` } };
}

export type Fleet = ReadonlyMap<string, FakeCluster>;

export function fleetOf(count: number): Map<string, FakeCluster> {
  const ids = Array.from({ length: count }, (_, index) => `edge-${String(index).padStart(5, '0')}`);
  return new Map(ids.map((id) => [id, new FakeCluster()]));
}

/** Returns a rollout of the chart `new` over a fleet. */
export function rolloutOf(fleet: Fleet, options: Partial<RolloutOptions> = {}): Rollout {
  const payload = { releaseName: 'web', chartName: 'new' };
  const spec = readRolloutSpec({ agents: ['*'], payload, soak: false, ...options });
  const candidates = Array.from(fleet, ([agentId, { labels, presence }]) => ({
    ...{ agentId, labels, isConnected: presence === 'connected' },
  }));
  const plan = {
    ...{ id: 'r', uid: 'u', number: 1, spec, fingerprint: '', createdAt: 0, differences: {} },
    waves: wavesOf(spec, candidates),
  };
  return { plan, status: newStatus(plan), clusters: new Map(), groups: new Map() };
}

export function apply(rollout: Rollout, { clusters, status = rollout.status, groups = new Map() }: Changes): Rollout {
  return {
    ...{ ...rollout, status, clusters: new Map([...rollout.clusters, ...clusters]) },
    groups: new Map([...rollout.groups, ...groups]),
  };
}

export function step(rollout: Rollout, fleet: Fleet, now: number): Rollout {
  return apply(rollout, advance(rollout, worldOf(fleet, now)));
}

export function worldOf(fleet: Fleet, now: number) {
  return {
    ...{ now, runsSince: 0 },
    presenceOf: (agentId: string) => fleet.get(agentId)?.presence ?? 'away',
    connectedSince: (agentId: string) => {
      const cluster = fleet.get(agentId);
      return cluster?.presence === 'connected' ? cluster.connectedSince : undefined;
    },
    labelsOf: (agentId: string) => fleet.get(agentId)?.labels,
    isSuperseded: () => false,
  };
}

/** Returns the clusters that perform a command. */
export function activeOf({ clusters }: Rollout): string[] {
  return [...clusters].flatMap(([agentId, cluster]) => (isActive(cluster) ? [agentId] : []));
}

/** Lets a cluster perform its command, and settles that. */
export function perform(rollout: Rollout, fleet: Fleet, agentId: string, now: number): Rollout {
  const cluster = clusterOf(rollout, agentId);
  if (!isActive(cluster)) return rollout;
  const { type, payload } = clusterCommand(rollout.plan, agentId, cluster);
  const result = fleet.get(agentId)?.perform(commandKey(rollout, agentId, cluster), type, payload);
  if (!result) return rollout;
  return apply(rollout, settle(rollout, agentId, result, now));
}

/** Runs a rollout, in which all commands take no time, until nothing happens any more. */
export function settled(rollout: Rollout, fleet: Fleet, now = 0): Rollout {
  let last = rollout;
  for (let turn = 0; turn < 10_000; turn++) {
    let next = step(last, fleet, now);
    for (const agentId of activeOf(next)) {
      if (fleet.get(agentId)?.presence === 'connected') next = perform(next, fleet, agentId, now);
    }
    if (next.status === last.status && isSame(next.clusters, last.clusters)) return next;
    last = next;
  }
  throw new Error('the rollout does not settle');
}

function isSame(one: ReadonlyMap<string, Cluster>, other: ReadonlyMap<string, Cluster>): boolean {
  return one.size === other.size && [...one].every(([agentId, cluster]) => other.get(agentId) === cluster);
}

/** Returns the number of clusters in each stage. */
export function stagesOf(rollout: Rollout): Record<string, number> {
  const stages = rollout.plan.waves.flat().map((agentId) => clusterOf(rollout, agentId).stage);
  return Object.fromEntries([...Map.groupBy(stages, (stage) => stage)].map(([stage, all]) => [stage, all.length]));
}
