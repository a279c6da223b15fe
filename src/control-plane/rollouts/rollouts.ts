import { createHash } from 'node:crypto';
import { sleep } from '../../async/index.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { type Guard, RefusedError } from '../access/guard.ts';
import type { Principal } from '../access/role.ts';
import { ControlPlaneError } from '../error.ts';
import type { StoredEntry } from '../store/command-store.ts';
import { storedOrKept, storedOrTakenBack } from '../store/entry-store.ts';
import { isConcerned } from './advance.ts';
import { clusterCommand } from './cluster-command.ts';
import { abortRollout, approvePlans, approveWave, pauseRollout, resumeRollout, retryRollout } from './decisions.ts';
import { type Changes, clusterOf, isEnded, newStatus, type Rollout, type RolloutPlan } from './rollout.ts';
import { deleteEntries, keepPlan, type RestoredRollout, restoreRollouts } from './rollout-entries.ts';
import { type RolloutListEvent, rolloutListEvents } from './rollout-list-events.ts';
import { RolloutRunner, type RolloutRunnerOptions } from './rollout-runner.ts';
import { readRolloutSpec, type RolloutOptions, type RolloutSpec } from './rollout-spec.ts';
import {
  type ClusterView,
  clusterViews,
  type PlanGroupView,
  planGroupViews,
  type RolloutView,
  rolloutView,
} from './rollout-view.ts';
import { differencesOf, selects } from './selection.ts';
import { type Candidate, wavesOf } from './waves.ts';

export interface RolloutsOptions extends Omit<RolloutRunnerOptions, 'supersededOf'> {
  table: CommandTable;
  guard: Pick<Guard, 'sees' | 'allowsOnAll' | 'requireUpload'>;
  /** Returns the ids of all agents that can get commands. */
  agentIds: () => Iterable<string>;
  newKey: () => string;
  /** Whether there is a webhook with an id. */
  hasWebhook: (id: string) => boolean;
  /** Throws `ControlPlaneError` `store_unavailable` if nothing can be stored now. */
  requireStore: () => void;
}

/** An event of a rollout: it has changed, or one of its clusters has. */
export type RolloutEvent =
  | { readonly id: number; readonly type: 'rollout'; readonly payload: RolloutView }
  | { readonly id: number; readonly type: 'cluster'; readonly payload: ClusterView };

/** Number of rollouts that are kept. The oldest one that has ended is deleted for another one. */
const maxRollouts = 200;

/** Characters of a rollout as JSON. */
const maxSpecLength = 1024 * 1024;

/** Time between two looks at what has changed, for a reader of events, in milliseconds. */
const eventPauseMs = 100;

/** The name of who uses the library. */
const application = 'application';

/**
 * The rollouts of a control plane. Methods with a principal act for that user, who must be allowed
 * to send the commands of the rollout to all of its clusters, or to read from them. Default: the
 * application, which may do everything. They reject with `ControlPlaneError`: `rollout_not_found`,
 * `rollout_conflict`, `forbidden`, `bad_request`, and those that change something with
 * `store_unavailable`.
 */
export class Rollouts {
  readonly #options: RolloutsOptions;
  readonly #runners = new Map<string, RolloutRunner>();
  #lastNumber = 0;
  #isOpen = false;

  constructor(options: RolloutsOptions) {
    this.#options = options;
  }

  /** Continues what the store has. */
  open(entries: readonly StoredEntry[]): void {
    for (const rollout of restoreRollouts(entries, this.#options.keep)) {
      this.#lastNumber = rollout.plan.number;
      this.#add(rollout).begin();
    }
    this.#isOpen = true;
  }

  close(): void {
    for (const runner of this.#runners.values()) runner.close();
  }

  /** Notes that an agent is connected, or not any more. */
  onPresence(agentId: string): void {
    for (const runner of this.#runners.values()) {
      if (isConcerned(runner.rollout, agentId)) runner.wake();
    }
  }

  /** Returns the digests of uploaded charts that clusters may still need. */
  charts(): string[] {
    return [...this.#runners.values()].flatMap(({ rollout: { plan, status } }) => {
      const { chartUpload } = plan.spec.payload;
      return typeof chartUpload === 'string' && status.phase !== 'aborted' ? [chartUpload] : [];
    });
  }

  /**
   * Starts a rollout. The same rollout with the same id returns the one that was started. Also
   * rejects with `too_large` and `busy`. There is no rollout if it rejects.
   */
  async start(options: RolloutOptions, principal?: Principal): Promise<RolloutView> {
    const { keep, now, newKey, stored, guard, requireStore } = this.#options;
    if (!this.#isOpen) throw new ControlPlaneError('store_unavailable', 'the control plane is not open yet');
    if (principal) guard.requireUpload(principal);
    const spec = readRolloutSpec(options);
    const text = JSON.stringify(spec);
    if (text.length > maxSpecLength) {
      throw new ControlPlaneError('too_large', `the rollout has more than ${maxSpecLength} characters`);
    }
    const fingerprint = createHash('sha256').update(text).digest('hex');
    const id = spec.id ?? newKey();
    const known = this.#runners.get(id);
    if (known) {
      const view = this.#again(known, fingerprint, principal);
      await stored();
      this.#requireKept(known);
      return view;
    }
    if (spec.check !== undefined && !this.#options.hasWebhook(spec.check)) {
      throw new ControlPlaneError('bad_request', 'check must be the id of a webhook');
    }
    const candidates = this.#candidates(spec, principal);
    const plan: RolloutPlan = {
      ...{ id, uid: newKey(), number: this.#lastNumber + 1, spec, fingerprint, createdAt: now() },
      ...(principal && { startedBy: { name: principal.name, roles: principal.roles } }),
      waves: wavesOf(spec, candidates),
      differences: differencesOf(spec, candidates),
    };
    this.#requirePayload(plan);
    if (principal) this.#requireAllowed(principal, plan);
    this.#requireFree(plan);
    requireStore();
    this.#makeRoom();
    this.#lastNumber = plan.number;
    keepPlan(plan, keep);
    const rollout = { plan, status: newStatus(plan), clusters: new Map(), groups: new Map() };
    const runner = this.#add(rollout);
    await storedOrTakenBack({ stored }, () => {
      if (this.#runners.get(id) === runner) this.#delete(runner);
    });
    this.#options.onStatus(rollout);
    runner.begin();
    return rolloutView(runner.rollout);
  }

  /** Returns the rollouts that a user may see, the newest first. */
  list(principal?: Principal): RolloutView[] {
    const seen = [...this.#runners.values()].filter(({ rollout }) => this.#isSeen(rollout, principal));
    return seen.map(({ rollout }) => rolloutView(rollout)).reverse();
  }

  get(id: string, principal?: Principal): RolloutView {
    return rolloutView(this.#find(id, principal).rollout);
  }

  /** Returns the clusters of a rollout by wave. */
  clusters(id: string, principal?: Principal): ClusterView[] {
    return [...clusterViews(this.#find(id, principal).rollout)];
  }

  /** Returns the different plans of the clusters, those that wait for an approval first. */
  plans(id: string, principal?: Principal): PlanGroupView[] {
    return planGroupViews(this.#find(id, principal).rollout);
  }

  /** Lets no more clusters begin. The commands that run end. */
  async pause(id: string, principal?: Principal): Promise<RolloutView> {
    return await this.#decide(id, principal, (rollout) => pauseRollout(rollout, principal?.name ?? application));
  }

  /** Continues a rollout that is paused, also in spite of the clusters that have failed so far. */
  async resume(id: string, principal?: Principal): Promise<RolloutView> {
    return await this.#decide(id, principal, (rollout) => resumeRollout(rollout, this.#options.now()));
  }

  /** Lets a wave begin, by its number from 1. The one before does not soak any longer. */
  async approve(id: string, wave: number, principal?: Principal): Promise<RolloutView> {
    if (!Number.isSafeInteger(wave) || wave < 1) {
      throw new ControlPlaneError('bad_request', 'wave must be the number of a wave, from 1');
    }
    return await this.#decide(id, principal, (rollout) => approveWave(rollout, wave - 1, this.#options.now()));
  }

  /** Lets clusters perform their plans, by the groups of those. */
  async approvePlans(id: string, groups: readonly string[], principal?: Principal): Promise<RolloutView> {
    const by = principal?.name ?? application;
    return await this.#decide(id, principal, (rollout) => approvePlans(rollout, groups, by));
  }

  /** Ends a rollout. With `undo`, all its clusters are returned to their last good revisions. */
  async abort(id: string, { undo = false }: { undo?: boolean } = {}, principal?: Principal): Promise<RolloutView> {
    const by = principal?.name ?? application;
    return await this.#decide(id, principal, (rollout) => {
      if (undo && isEnded(rollout)) this.#requireFree(rollout.plan);
      return abortRollout(rollout, this.#options.now(), by, undo);
    });
  }

  /** Tries clusters that have failed, or a rollout that has failed, again. */
  async retry(id: string, principal?: Principal): Promise<RolloutView> {
    return await this.#decide(id, principal, (rollout) => {
      if (isEnded(rollout)) this.#requireFree(rollout.plan);
      return retryRollout(rollout, this.#options.now());
    });
  }

  /**
   * Deletes a rollout that has ended, with its values. Clusters that are away do not catch up.
   * Rejects with `store_unavailable` until that is stored.
   */
  async delete(id: string, principal?: Principal): Promise<void> {
    // it may be deleted without that being stored
    if (!this.#known(id, principal)) await this.#options.stored();
    const runner = this.#find(id, principal);
    if (principal) this.#requireAllowed(principal, runner.rollout.plan);
    if (!isEnded(runner.rollout)) {
      throw new ControlPlaneError('rollout_conflict', `the rollout is ${runner.rollout.status.phase}; abort it first`);
    }
    this.#options.requireStore();
    this.#delete(runner);
    await storedOrKept(this.#options);
  }

  /**
   * Returns the rollout and its clusters as they are, and each time they change, until the signal
   * aborts. A slow reader misses what has changed again.
   */
  async *events(id: string, principal: Principal | undefined, signal: AbortSignal): AsyncGenerator<RolloutEvent> {
    const runner = this.#find(id, principal);
    let seen = 0;
    while (!signal.aborted && this.#runners.get(id) === runner) {
      const { version, rollout } = runner;
      const changed = new Set(runner.changesSince(seen));
      if (version > seen) yield { id: version, type: 'rollout', payload: rolloutView(rollout) };
      for (const view of changed.size === 0 ? [] : clusterViews(rollout)) {
        if (changed.has(view.agentId)) yield { id: version, type: 'cluster', payload: view };
      }
      seen = version;
      if (runner.version > seen) continue;
      await runner.changed.next(signal);
      await sleep(eventPauseMs, signal).catch(() => undefined);
    }
  }

  /** Returns the events of the rollouts that a user may see, until the signal aborts. */
  listEvents(principal: Principal | undefined, signal: AbortSignal): AsyncGenerator<RolloutListEvent> {
    return rolloutListEvents(this.#runners, (rollout) => this.#isSeen(rollout, principal), signal);
  }

  async #decide(id: string, principal: Principal | undefined, decision: (rollout: Rollout) => Changes) {
    const runner = this.#find(id, principal);
    if (principal) this.#requireAllowed(principal, runner.rollout.plan);
    this.#options.requireStore();
    await runner.decide(decision);
    this.#requireKept(runner);
    return rolloutView(runner.rollout);
  }

  #known(id: string, principal: Principal | undefined): RolloutRunner | undefined {
    const runner = this.#runners.get(id);
    return runner && this.#isSeen(runner.rollout, principal) ? runner : undefined;
  }

  #find(id: string, principal: Principal | undefined): RolloutRunner {
    const runner = this.#known(id, principal);
    if (runner) return runner;
    throw new ControlPlaneError('rollout_not_found', 'no rollout has this id');
  }

  #again({ rollout }: RolloutRunner, fingerprint: string, principal: Principal | undefined): RolloutView {
    if (rollout.plan.fingerprint === fingerprint && this.#isSeen(rollout, principal)) return rolloutView(rollout);
    throw new ControlPlaneError('rollout_conflict', 'another rollout has this id');
  }

  #candidates(spec: RolloutSpec, principal: Principal | undefined): Candidate[] {
    const { agentIds, labelsOf, presenceOf, guard } = this.#options;
    const isSelected = selects(spec);
    const selected = [...new Set(agentIds())]
      .map((agentId) => ({ agentId, labels: labelsOf(agentId), isConnected: presenceOf(agentId) === 'connected' }))
      .filter((agent) => isSelected(agent) && (!principal || guard.sees(principal, agent.agentId, agent.labels)));
    if (selected.length > 0) return selected;
    throw new ControlPlaneError('bad_request', 'agents and labels select no agent');
  }

  #requirePayload(plan: RolloutPlan): void {
    const agentId = plan.waves.flat()[0] ?? '';
    for (const stage of [...deployStages(plan), ...checkStages(plan)]) {
      const { type, payload } = clusterCommand(plan, agentId, { stage });
      if (this.#options.table.find(type)?.reader.safeParse(sentPayload(payload)).success === true) continue;
      throw new ControlPlaneError('bad_request', `payload does not fit the command ${type}`);
    }
  }

  /** Requires that a user may send all commands of a rollout. */
  #requireAllowed(principal: Principal, plan: RolloutPlan): void {
    for (const { type, payload } of commandsOf(plan)) {
      if (this.#options.guard.allowsOnAll(principal, plan.waves.flat(), { type, payload: sentPayload(payload) }))
        continue;
      const message = `${principal.name} may not send ${type} to all clusters of the rollout`;
      throw new RefusedError('forbidden', message, { right: 'deploy', command: type });
    }
  }

  #isSeen({ plan }: Rollout, principal: Principal | undefined): boolean {
    if (!principal) return true;
    const read = clusterCommand(plan, '', { stage: 'inspecting' });
    return this.#options.guard.allowsOnAll(principal, plan.waves.flat(), read);
  }

  /** Requires that no other rollout works on one of the clusters and the release. */
  #requireFree(plan: RolloutPlan): void {
    const agentIds = new Set(plan.waves.flat());
    for (const { rollout } of this.#runners.values()) {
      if (rollout.plan.uid === plan.uid || isEnded(rollout) || targetOf(rollout.plan) !== targetOf(plan)) continue;
      if (!rollout.plan.waves.flat().some((agentId) => agentIds.has(agentId))) continue;
      throw new ControlPlaneError('rollout_conflict', 'another rollout of the release has not ended; abort it first');
    }
  }

  #supersededOf({ plan }: Rollout): (agentId: string) => boolean {
    const target = targetOf(plan);
    const newer = [...this.#runners.values()].filter(
      ({ rollout: other }) => other.plan.number > plan.number && targetOf(other.plan) === target,
    );
    return (agentId) =>
      newer.some(({ rollout: other }) => {
        const { stage } = clusterOf(other, agentId);
        const isValid = other.status.revertFrom === undefined && other.status.phase !== 'aborted';
        // one that only has a plan may never be approved
        const isReached = !['pending', 'planning', 'planned'].includes(stage);
        return stage === 'updated' || (isValid && isReached);
      });
  }

  #makeRoom(): void {
    if (this.#runners.size < maxRollouts) return;
    const oldest = [...this.#runners.values()].find(({ rollout }) => isEnded(rollout));
    if (!oldest) throw new ControlPlaneError('busy', `${maxRollouts} rollouts have not ended; abort some of them`);
    this.#delete(oldest);
  }

  #delete(runner: RolloutRunner): void {
    this.#runners.delete(runner.rollout.plan.id);
    runner.close();
    deleteEntries(runner.rollout, this.#options.keep);
  }

  #add(rollout: RestoredRollout): RolloutRunner {
    const supersededOf = (each: Rollout) => this.#supersededOf(each);
    const runner = new RolloutRunner(rollout, { ...this.#options, supersededOf });
    this.#runners.set(rollout.plan.id, runner);
    return runner;
  }

  /** Requires that a rollout was not taken back while someone waited until it is stored. */
  #requireKept(runner: RolloutRunner): void {
    if (this.#runners.get(runner.rollout.plan.id) === runner) return;
    throw new ControlPlaneError('store_unavailable', 'the rollout was deleted, or could not be stored');
  }
}

function deployStages({ spec }: RolloutPlan): ('planning' | 'updating')[] {
  return spec.plan ? ['planning', 'updating'] : ['updating'];
}

function checkStages({ spec: { test, job } }: RolloutPlan): ('testing' | 'checking')[] {
  return [...(test ? (['testing'] as const) : []), ...(job === undefined ? [] : (['checking'] as const))];
}

/** Returns the commands that clusters may get. */
function commandsOf(plan: RolloutPlan) {
  const stages = plan.spec.type === 'upgrade_agent' ? [] : (['inspecting', 'reverting'] as const);
  return [
    ...[...deployStages(plan), ...checkStages(plan), ...stages].map((stage) =>
      clusterCommand(plan, '', { stage, base: 1 }),
    ),
    ...(stages.length === 0 ? [] : [clusterCommand(plan, '', { stage: 'reverting', base: null })]),
  ];
}

/** Values that are plain data are sent as text. */
function sentPayload({ values, ...payload }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!Array.isArray(values)) return payload;
  return { ...payload, values: values.map((each: unknown) => (typeof each === 'string' ? each : '{}')) };
}

/** Returns the release of a rollout. */
function targetOf({ spec: { type, payload } }: RolloutPlan): string {
  if (type === 'upgrade_agent') return type;
  const { namespace = 'default', releaseName } = payload;
  return JSON.stringify([namespace, releaseName]);
}
