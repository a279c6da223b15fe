import type { Candidate } from '../../../src/operation/agent-upgrade/candidate.ts';
import type { Guarded } from '../../../src/operation/agent-upgrade/guard.ts';
import { type StoredTrial, type Trial, TrialChangedError } from '../../../src/operation/agent-upgrade/trial.ts';
import type { OperationState } from '../../../src/operation/state/operation-state.ts';

/** Faults of the new version. */
export const faults = [
  ...(['none', 'not pulled', 'crashes at start', 'cannot connect', 'crashes after it has connected'] as const),
  ...(['connects late', 'is refused by the API server'] as const),
] as const;
export type Fault = (typeof faults)[number];

class OutageError extends Error {
  readonly code = 'unreachable';
}

class RefusedError extends Error {
  readonly code = 'invalid';
}

export const firstTrial: Trial = {
  ...({
    format: 1,
    id: 'k',
    agentId: 'edge-1',
    namespace: 'agents',
    releaseName: 'agent',
    deployment: 'agent',
  } as const),
  ...({ lease: 'lease', from: 1, plan: 'agents/agent@0', oldTemplate: 'old', job: {}, phase: 'planned' } as const),
  ...{ timeout: 120_000, settle: 30_000 },
};

/** Disturbs requests of a guardian, by their numbers. */
export interface Disturbance {
  /** The process is killed before or after the request has its effect. */
  kills: ReadonlyMap<number, 'before' | 'after'>;
  /** The answer of the request is that the API server cannot be reached; it may have its effect. */
  outages: ReadonlyMap<number, 'before' | 'after'>;
}

/**
 * An agent with a Deployment that keeps an old pod until a new one is ready, and a Lease that the
 * new pod gets then. Time passes when a guardian pauses.
 */
export class SimulatedAgent {
  time = 1_000_000;
  stored: StoredTrial | undefined = { trial: firstTrial, version: '1' };
  /** The version of each revision. */
  readonly revisions: ('old' | 'new')[] = ['old'];
  requests = 0;
  #killed = Promise.withResolvers<'killed'>();
  readonly #fault: Fault;
  readonly #disturbance: Disturbance;
  /** When the Deployment got its present template. */
  #changedAt = 0;

  constructor(fault: Fault, disturbance: Disturbance = { kills: new Map(), outages: new Map() }) {
    this.#fault = fault;
    this.#disturbance = disturbance;
  }

  /** Resolves when the present guardian is killed. */
  get killed(): Promise<'killed'> {
    return this.#killed.promise;
  }

  get deployed(): 'old' | 'new' {
    return this.revisions.at(-1) ?? 'old';
  }

  /** Whether the agent performs commands now. */
  get works(): boolean {
    return this.#seen().leader?.isReady === true;
  }

  get guarded(): Guarded {
    return {
      store: {
        read: () => this.#request(() => this.stored),
        write: (trial, version) => this.#request(() => this.#write(trial, version)),
        remove: () => this.#request(() => void (this.stored = undefined)),
      },
      upgrade: async (_trial, state, save) => {
        if (this.#fault === 'is refused by the API server') throw new RefusedError('the Deployment is invalid');
        return await this.#deploy('new', state, save);
      },
      goBack: async ({ from }, state, save) => {
        if (state === undefined && this.revisions.length === from) return from;
        return await this.#deploy('old', state, save);
      },
      look: () => this.#request(() => this.#seen()),
      signal: new AbortController().signal,
      now: () => this.time,
      pause: (milliseconds) => {
        this.time += milliseconds;
        return Promise.resolve();
      },
      onProblem: () => undefined,
    };
  }

  /** Stores a revision and applies it, each of which may be interrupted and is found again. */
  async #deploy(
    version: 'old' | 'new',
    state: OperationState | undefined,
    save: (state: OperationState) => Promise<void>,
  ): Promise<number> {
    const number = state?.revision?.version ?? this.revisions.length + 1;
    const own = { revision: { version: number } } as OperationState; // the field that a simulation reads
    if (state === undefined) await save(own);
    await this.#request(() => {
      if (this.revisions.length < number) this.revisions.push(version);
      this.#changedAt = this.time;
    });
    return number;
  }

  #write(trial: Trial, version: string | undefined): StoredTrial {
    if (this.stored?.version !== version) throw new TrialChangedError('changed');
    const stored = { trial: structuredClone(trial), version: String(Number(version) + 1) };
    this.stored = stored;
    return stored;
  }

  #seen(): Candidate {
    const age = this.time - this.#changedAt;
    const old = { run: 'old', pod: 'agent-old', image: 'agent:1', isReady: true };
    const fresh = { run: 'new', pod: 'agent-new', image: 'agent:2', isReady: true };
    if (this.deployed === 'old') return { isRolledOut: this.revisions.length === 1 || age > 4000, leader: old };
    if (this.#fault === 'not pulled') return { isRolledOut: false, leader: old, waitsFor: 'ErrImagePull' };
    if (this.#fault === 'crashes at start') {
      return { isRolledOut: false, leader: old, ...(age > 15_000 && { problem: 'pod agent-new crashes' }) };
    }
    if (age < 4000) return { isRolledOut: false, leader: old };
    if (age < 6000) return { isRolledOut: true };
    switch (this.#fault) {
      case 'cannot connect':
        return { isRolledOut: true, leader: { ...fresh, isReady: age < 20_000 }, waitsFor: 'not connected' };
      case 'crashes after it has connected':
        return { isRolledOut: true, leader: { ...fresh, run: `new ${Math.floor(age / 17_000)}` } };
      case 'connects late':
        return { isRolledOut: true, leader: { ...fresh, isReady: age > 50_000 } };
      default:
        return { isRolledOut: true, leader: fresh };
    }
  }

  /** Sends a request, which takes a moment. */
  async #request<Result>(effect: () => Result): Promise<Result> {
    await Promise.resolve();
    const number = this.requests++;
    this.time += 5;
    const kill = this.#disturbance.kills.get(number);
    const outage = this.#disturbance.outages.get(number);
    if (kill === 'before') return await this.#kill();
    if (outage === 'before') throw new OutageError('connect ECONNREFUSED');
    const result = effect();
    if (kill === 'after') return await this.#kill();
    if (outage === 'after') throw new OutageError('read ECONNRESET');
    return result;
  }

  /** Ends the process that sends a request: it goes no further. */
  async #kill(): Promise<never> {
    this.#killed.resolve('killed');
    this.#killed = Promise.withResolvers();
    return await new Promise<never>(() => undefined);
  }
}
