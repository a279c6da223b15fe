import { maxTimerMs, Notice } from '../../async/index.ts';
import type { CommandResult } from '../../protocol/messages.ts';
import type { AgentSubject } from '../access/is-allowed.ts';
import type { SendRequest } from '../command-methods.ts';
import { ControlPlaneError } from '../error.ts';
import type { Logger } from '../logger.ts';
import { type PatientStore, storedOrKept } from '../store/entry-store.ts';
import { advance, awaitsApproval, type Presence, type World } from './advance.ts';
import { clusterCommand } from './cluster-command.ts';
import { settleCheck } from './decisions.ts';
import {
  type Changes,
  type Cluster,
  clusterOf,
  commandKey,
  isActive,
  type PlanGroup,
  type Rollout,
} from './rollout.ts';
import { keepChanges, type RestoredRollout } from './rollout-entries.ts';
import { settle } from './settle.ts';
import { askCheck, type AskWebhook, awaitsCheck } from './wave-check.ts';

/** A command that was sent for a rollout. */
export interface RolloutCommand {
  /** Resolves when it is stored. */
  readonly stored: Promise<void>;
  /** Rejects when the control plane is closed before there is a result. */
  outcome(): Promise<CommandResult>;
  cancel(): void;
}

export interface RolloutRunnerOptions extends PatientStore {
  now: () => number;
  presenceOf: (agentId: string) => Presence;
  /** Returns the time in milliseconds since when an agent is connected. Undefined: it is not. */
  connectedSince: (agentId: string) => number | undefined;
  labelsOf: (agentId: string) => AgentSubject['labels'];
  /** Says of each cluster whether a newer rollout of the same release has reached it. */
  supersededOf: (rollout: Rollout) => (agentId: string) => boolean;
  /** Sends a command, or returns the one that the key names. Throws `ControlPlaneError`. */
  send: (agentId: string, request: SendRequest) => RolloutCommand;
  /** Asks the webhook that decides whether the next wave may begin. */
  askWebhook: AskWebhook;
  /** Notes that a rollout has another phase or wave, or waits for an approval. */
  onStatus: (rollout: Rollout) => void;
  log: Logger;
}

/** Number of clusters for which turns are 1 ms apart, so that they do not take all time. */
const clustersPerMs = 500;

/**
 * Performs a rollout: finds out what comes next, stores that, and only then sends the commands of
 * the clusters that are at work. Each step can be repeated, so a control plane that was killed
 * continues with what is stored.
 */
export class RolloutRunner {
  /** Given when the rollout has changed and that is stored. */
  readonly changed = new Notice();
  readonly #options: RolloutRunnerOptions;
  readonly #runsSince: number;
  /** The commands that run, by agent. */
  readonly #commands = new Map<string, { key: string; command?: RolloutCommand }>();
  readonly #clusters: Map<string, Cluster>;
  readonly #groups: Map<string, PlanGroup>;
  /** The number of the last change of each cluster, for readers of events. */
  readonly #versions = new Map<string, number>();
  #rollout: Rollout;
  #version = 1;
  #timer: NodeJS.Timeout | undefined;
  /** Ends the question of the present wave. */
  #asking: AbortController | undefined;
  /** The text of the last status that others know. */
  #toldStatus: string;
  #isBegun = false;
  #isTurnDue = false;
  #isClosed = false;

  constructor(rollout: RestoredRollout, options: RolloutRunnerOptions) {
    this.#options = options;
    this.#runsSince = options.now();
    this.#clusters = rollout.clusters;
    this.#groups = rollout.groups;
    this.#rollout = rollout;
    this.#toldStatus = statusText(rollout);
    for (const agentId of rollout.clusters.keys()) this.#versions.set(agentId, this.#version);
  }

  get rollout(): Rollout {
    return this.#rollout;
  }

  /** The number of the last change in this process. */
  get version(): number {
    return this.#version;
  }

  /** Returns the clusters that have changed since a version. */
  changesSince(version: number): string[] {
    return [...this.#versions].flatMap(([agentId, changed]) => (changed > version ? [agentId] : []));
  }

  /** Takes turns from now on, the first one soon. */
  begin(): void {
    this.#isBegun = true;
    this.wake();
  }

  /** Takes a turn soon, once it has begun. Turns that are asked for at the same time are one. */
  wake(): void {
    if (!this.#isBegun || this.#isTurnDue || this.#isClosed) return;
    this.#isTurnDue = true;
    const delay = this.#rollout.plan.waves.flat().length / clustersPerMs;
    setTimeout(() => {
      this.#isTurnDue = false;
      if (!this.#isClosed) this.#turn();
    }, delay).unref();
  }

  /**
   * Applies a decision of a user. Resolves when it is stored. Rejects with `ControlPlaneError`
   * `store_unavailable`; the decision stays, because others may follow from it.
   */
  async decide(decision: (rollout: Rollout) => Changes): Promise<void> {
    this.#apply(decision(this.#rollout));
    try {
      await storedOrKept(this.#options);
    } finally {
      this.wake();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#asking?.abort();
    clearTimeout(this.#timer);
    this.changed.give();
  }

  #turn(): void {
    const { now, presenceOf, connectedSince, labelsOf, supersededOf } = this.#options;
    const rollout = this.#rollout;
    const time = now();
    const world: World = {
      ...{ now: time, runsSince: this.#runsSince, presenceOf, connectedSince, labelsOf },
      isSuperseded: supersededOf(rollout),
    };
    const { wakeAt, ...changes } = advance(rollout, world);
    this.#apply(changes);
    this.#tellStatus();
    clearTimeout(this.#timer);
    if (wakeAt !== Infinity) {
      this.#timer = setTimeout(() => this.wake(), Math.min(maxTimerMs, Math.max(0, wakeAt - time))).unref();
    }
    // nothing is sent before the reason for it is stored
    void this.#options.storedLater().then(() => {
      if (this.#isClosed) return;
      this.#sendAll();
      this.#ask();
    });
  }

  #apply({ clusters, status, groups = new Map<string, PlanGroup>() }: Changes): void {
    if (clusters.size === 0 && groups.size === 0 && status === undefined) return;
    this.#version++;
    for (const [id, group] of groups) this.#groups.set(id, group);
    for (const [agentId, cluster] of clusters) {
      this.#clusters.set(agentId, cluster);
      this.#versions.set(agentId, this.#version);
    }
    const before = this.#rollout;
    this.#rollout = { ...before, ...(status && { status }) };
    const { plan } = before;
    keepChanges(plan, { clusters, groups, ...(status && { status }) }, this.#options.keep);
    void this.#options.storedLater().then(() => this.changed.give());
  }

  #tellStatus(): void {
    const text = statusText(this.#rollout);
    if (text === this.#toldStatus) return;
    this.#toldStatus = text;
    this.#options.onStatus(this.#rollout);
  }

  /** Sends the commands of the clusters that are at work, and ends those of others. */
  #sendAll(): void {
    for (const [agentId, { key, command }] of this.#commands) {
      const cluster = clusterOf(this.#rollout, agentId);
      if (isActive(cluster) && commandKey(this.#rollout, agentId, cluster) === key) continue;
      this.#commands.delete(agentId);
      command?.cancel();
    }
    for (const [agentId, cluster] of this.#clusters) {
      if (isActive(cluster) && !this.#commands.has(agentId)) this.#send(agentId, cluster);
    }
  }

  /** Asks the check of the present wave, as long as the wave waits for that. */
  #ask(): void {
    if (!awaitsCheck(this.#rollout)) {
      this.#asking?.abort();
      this.#asking = undefined;
    } else if (!this.#asking) {
      const asking = new AbortController();
      this.#asking = asking;
      void askCheck(this.#rollout, this.#options.askWebhook, asking.signal).then(
        (isYes) => {
          if (this.#asking === asking) this.#asking = undefined;
          if (asking.signal.aborted || !awaitsCheck(this.#rollout)) return;
          this.#apply(settleCheck(this.#rollout, isYes));
          this.wake();
        },
        () => undefined, // it rejects only when it is aborted
      );
    }
  }

  #send(agentId: string, cluster: Parameters<typeof clusterCommand>[2] & Cluster): void {
    const { plan } = this.#rollout;
    const key = commandKey(this.#rollout, agentId, cluster);
    try {
      const command = this.#options.send(agentId, {
        ...clusterCommand(plan, agentId, cluster),
        ...{ key, deliverWithin: false },
        ...(plan.startedBy && { principal: plan.startedBy }),
      });
      this.#commands.set(agentId, { key, command });
      void this.#follow(agentId, key, command);
    } catch (error) {
      this.#commands.set(agentId, { key });
      this.#settle(agentId, key, failureOf(error, this.#options.log));
    }
  }

  async #follow(agentId: string, key: string, command: RolloutCommand): Promise<void> {
    try {
      await command.stored;
    } catch (error) {
      this.#settle(agentId, key, failureOf(error, this.#options.log));
      return;
    }
    const result = await command.outcome().catch(() => undefined); // the next process gets it
    if (result) this.#settle(agentId, key, result);
  }

  #settle(agentId: string, key: string, result: CommandResult): void {
    if (this.#isClosed || this.#commands.get(agentId)?.key !== key) return;
    this.#commands.delete(agentId);
    const cluster = clusterOf(this.#rollout, agentId);
    // the turn of the cluster may have ended before
    if (!isActive(cluster) || commandKey(this.#rollout, agentId, cluster) !== key) return;
    this.#apply(settle(this.#rollout, agentId, result, this.#options.now()));
    this.wake();
  }
}

/** Returns a text that is another one if others want to know about the change. */
function statusText(rollout: Rollout): string {
  const { phase, wave } = rollout.status;
  return `${phase} ${wave} ${awaitsApproval(rollout)}`;
}

function failureOf(error: unknown, log: Logger): CommandResult {
  if (!(error instanceof ControlPlaneError)) {
    log.warn({ error: error instanceof Error ? error.name : typeof error }, 'cannot send a command of a rollout');
    return { ok: false, error: { code: 'internal', message: "an internal error; see the control plane's log" } };
  }
  return { ok: false, error: { code: error.code, message: error.message } };
}
