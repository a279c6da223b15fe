import { createPublicKey, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import { Allowance } from '../../protocol/allowance.ts';
import { closeCodes } from '../../protocol/close-codes.ts';
import { type Challenge, type Proof, proofText } from '../../protocol/proof.ts';
import type { ActingUser } from '../access/acting-user.ts';
import { ControlPlaneError } from '../error.ts';
import type { AgentIdentity } from '../identity.ts';
import type { Logger } from '../logger.ts';
import type { StoredEntry } from '../store/command-store.ts';
import { type PatientStore, storedOrKept, storedOrTakenBack } from '../store/entry-store.ts';
import { type EnrolledKey, EnrolledKeys, isOfAnotherCluster } from './enrolled-keys.ts';
import { type CreatedEnrolment, type EnrolmentOptions, readEnrolmentOptions } from './enrolment-options.ts';
import { type EnrolmentClock, EnrolmentTokens } from './enrolment-tokens.ts';

export interface AgentKeysOptions extends EnrolmentClock, PatientStore {
  /** Returns this many random bytes. */
  randomBytes: (size: number) => Uint8Array;
  /** Number of agents that have a key, that wait for consent, and that have a token. */
  maxAgents: number;
  /** Called when another cluster has shown the key of an agent. */
  onCopy: (agentId: string) => void;
  /** Called when an agent has enrolled, replaced its key, or waits for consent. Default: none. */
  onEnrolled?: ((agentId: string, what: string) => void) | undefined;
  /** Called when the key of an agent has ended. Default: none. */
  onForgotten?: ((agentId: string) => void) | undefined;
  /** Called when a proof was refused that is not of a copy. Default: none. */
  onRefused?: ((agentId: string) => void) | undefined;
  log: Logger;
}

/** The state of the enrolment of an agent. */
export interface EnrolmentState {
  /**
   * `invited`: a token waits for the agent. `pending`: the agent waits until it is accepted.
   * `enrolled`: it has a key. An agent that has a key can be invited or pending for another one.
   */
  states: Array<'invited' | 'pending' | 'enrolled'>;
  labels?: Readonly<Record<string, string>>;
  /** Why a connection was refused last since the control plane started. */
  problem?: string;
}

/** The outcome of a proof. */
export type Verdict =
  | { kind: 'proved'; identity: AgentIdentity }
  /** The announced key is stored, and has to be proved now. */
  | { kind: 'announced' }
  /** `wait` calls back when that is decided, and returns a function that ends the wait. */
  | { kind: 'pending'; wait: (onDecided: (identity: AgentIdentity | undefined) => void) => () => void }
  | { kind: 'refused'; code: number; reason: string };

type OnDecided = (identity: AgentIdentity | undefined) => void;

const verifySignature = promisify(verify);

/** Number of agents of which the last problem is kept. */
const maxProblems = 1000;

const audienceEntry = { collection: 'control-plane', id: 'audience' };

/** The agents that prove a key of their own: how they enrol, and who they are. */
export class AgentKeys {
  readonly #options: AgentKeysOptions;
  readonly #tokens: EnrolmentTokens;
  readonly #enrolled: EnrolledKeys;
  /** Keys that are not accepted yet, and the connections that wait for that. */
  readonly #pending: EnrolledKeys;
  readonly #waiting = new Map<string, Set<OnDecided>>();
  readonly #revocations = new Map<string, AbortController>();
  readonly #problems = new LRUCache<string, string>({ max: maxProblems });
  readonly #logged = new Allowance({ count: 20, perSecond: 0.2 });
  #audience = '';

  constructor(options: AgentKeysOptions) {
    this.#options = options;
    this.#tokens = new EnrolmentTokens(options);
    this.#enrolled = new EnrolledKeys('agent-key', options);
    this.#pending = new EnrolledKeys('pending-key', options);
  }

  /** Takes what the store has. */
  open(entries: readonly StoredEntry[]): void {
    const { keep, randomBytes } = this.#options;
    for (const entry of entries) {
      if (entry.collection === audienceEntry.collection && entry.id === audienceEntry.id) {
        this.#audience = JSON.parse(entry.text ?? '""') as string; // as this class writes it
      } else if (!this.#tokens.restore(entry) && !this.#enrolled.restore(entry)) this.#pending.restore(entry);
    }
    if (this.#audience !== '') return;
    this.#audience = Buffer.from(randomBytes(16)).toString('base64url');
    keep({ ...audienceEntry, text: JSON.stringify(this.#audience) });
  }

  /** Id of the control plane, for which agents sign. */
  get audience(): string {
    return this.#audience;
  }

  /** Whether an agent has a key, so that no other credential is enough. */
  has(agentId: string): boolean {
    return this.#enrolled.get(agentId) !== undefined;
  }

  /** Returns the ids of the agents that have a key. */
  ids(): Iterable<string> {
    return this.#enrolled.ids();
  }

  /** Returns the ids of the agents that have a key, wait, or are invited; some repeatedly. */
  knownIds(): Iterable<string> {
    return [...this.#tokens.agentIds(), ...this.#pending.ids(), ...this.#enrolled.ids()];
  }

  /** Undefined if nothing is known about the agent. */
  stateOf(agentId: string): EnrolmentState | undefined {
    const [token, pending, enrolled] = [
      this.#tokens.of(agentId),
      this.#pending.get(agentId),
      this.#enrolled.get(agentId),
    ];
    const labels = (enrolled ?? pending ?? token)?.labels;
    const problem = this.#problems.get(agentId);
    if (labels === undefined && problem === undefined) return undefined;
    return {
      states: [
        ...(token ? ['invited' as const] : []),
        ...(pending ? ['pending' as const] : []),
        ...(enrolled ? ['enrolled' as const] : []),
      ],
      ...(labels && Object.keys(labels).length > 0 && { labels }),
      ...(problem !== undefined && { problem }),
    };
  }

  /**
   * Invites an agent. Rejects with `ControlPlaneError` `bad_request`, `busy` and
   * `store_unavailable`, and if the user may not do that; the agent has no token then.
   */
  async create(options: EnrolmentOptions, user?: ActingUser): Promise<CreatedEnrolment> {
    const { agentId, labels, lifetimeMs, needsConsent } = readEnrolmentOptions(options);
    await this.#options.stored();
    user?.requireAllowed();
    if (this.#tokens.of(agentId) === undefined && this.#tokens.count >= this.#options.maxAgents) {
      throw new ControlPlaneError('busy', `${this.#tokens.count} agents have a token already; try again later`);
    }
    const { token, expiresAt } = this.#tokens.create({ agentId, labels, needsConsent }, lifetimeMs);
    this.#problems.delete(agentId);
    this.#options.log.info({ agentId, needsConsent, sentBy: user?.name }, 'created an enrolment token');
    await storedOrTakenBack(this.#options, () => this.#tokens.take(token, agentId));
    return { agentId, token, expiresAt: new Date(expiresAt).toISOString(), replacesKey: this.has(agentId) };
  }

  /**
   * Lets an agent in that waits. Rejects with `ControlPlaneError` `agent_not_found` and
   * `store_unavailable`, and if the user may not do that; the agent still waits then.
   */
  async accept(agentId: string, user?: ActingUser): Promise<void> {
    await this.#options.stored();
    user?.requireAllowed();
    const key = this.#pending.get(agentId);
    if (!key) throw new ControlPlaneError('agent_not_found', `no agent waits as ${agentId}`);
    this.#options.log.info({ agentId, sentBy: user?.name }, 'accepted an agent');
    const before = this.#enrolled.get(agentId);
    this.#pending.delete(agentId);
    this.#enrol(agentId, key);
    await storedOrTakenBack(this.#options, () => this.#unenrol(agentId, key, before));
    this.#decide(agentId, this.has(agentId) ? this.#identityOf(agentId) : undefined);
  }

  /**
   * Ends the key, the pending key and the token of an agent, and its connections. Rejects with
   * `ControlPlaneError` `agent_not_found`, and with `store_unavailable` until that is stored; they
   * have ended in this process all the same.
   */
  async revoke(agentId: string, sentBy?: string): Promise<void> {
    const ended = [this.#tokens.end(agentId), this.#pending.delete(agentId), this.#enrolled.delete(agentId)];
    if (!ended.includes(true)) {
      await this.#options.stored(); // they may have ended without being stored
      throw new ControlPlaneError('agent_not_found', `no agent has enrolled or was invited as ${agentId}`);
    }
    this.#options.log.info({ agentId, sentBy }, 'revoked the key of an agent');
    this.#problems.delete(agentId);
    this.#options.onForgotten?.(agentId);
    this.#endConnections(agentId);
    this.#decide(agentId, undefined);
    await storedOrKept(this.#options);
  }

  /**
   * Decides about a proof, and enrols the key if its token allows it. What it returns is stored.
   */
  async judge(proof: Proof, nonce: string): Promise<Verdict> {
    // first, so that all strangers wait for the same
    if (!(await isSigned(proof, { audience: this.#audience, nonce }))) {
      return this.#refuse(proof.agentId, closeCodes.notEnrolled, 'the signature of the proof is not valid');
    }
    const { agentId, key, enrolmentToken } = proof;
    const enrolment = enrolmentToken === undefined ? undefined : this.#tokens.take(enrolmentToken, agentId);
    if (enrolment) return await this.#enrolNew(proof, enrolment);
    const enrolled = this.#enrolled.get(agentId);
    const isEnrolled = enrolled !== undefined && [enrolled.key, enrolled.nextKey].includes(key);
    if (isEnrolled && !isOfAnotherCluster(enrolled, proof)) return await this.#judgeKnown(enrolled, proof);
    const pending = this.#pending.get(agentId);
    const isPending = pending?.key === key;
    if (isPending && !isOfAnotherCluster(pending, proof)) return this.#pendingVerdict(agentId);
    if (isEnrolled || isPending) return this.#refuseCopy(agentId);
    const problem =
      enrolmentToken === undefined
        ? `this key is not enrolled for ${shorten(agentId)}; give the agent a token of ctl enrol`
        : 'the enrolment token was used, has expired, or is of another agent; make one with ctl enrol';
    return this.#refuse(agentId, closeCodes.notEnrolled, problem);
  }

  async #enrolNew(proof: Proof, { labels, needsConsent }: { labels: EnrolledKey['labels']; needsConsent: boolean }) {
    const { now, log } = this.#options;
    const { agentId, key, clusterUid, secretUid } = proof;
    const fresh: EnrolledKey = { key, clusterUid, secretUid, labels, enrolledAt: now().getTime() };
    this.#problems.delete(agentId);
    this.#decide(agentId, undefined);
    if (needsConsent) {
      this.#pending.set(agentId, fresh);
      log.info({ agentId, key }, 'an agent has enrolled, and waits until it is accepted');
      this.#options.onEnrolled?.(agentId, 'agent waits');
      await this.#pending.stored(agentId);
      return this.#pendingVerdict(agentId);
    }
    this.#pending.delete(agentId);
    this.#enrol(agentId, fresh);
    await this.#enrolled.stored(agentId);
    return this.#proved(proof);
  }

  async #judgeKnown(enrolled: EnrolledKey, proof: Proof): Promise<Verdict> {
    const { agentId, key, nextKey, clusterUid = enrolled.clusterUid, secretUid = enrolled.secretUid } = proof;
    const isAnnounced = nextKey !== undefined && nextKey !== key;
    const left = isAnnounced ? nextKey : key === enrolled.key ? enrolled.nextKey : undefined;
    const known: EnrolledKey = { ...enrolled, key, clusterUid, secretUid, nextKey: left };
    if (JSON.stringify(known) !== JSON.stringify(enrolled)) this.#enrolled.set(agentId, known);
    if (key !== enrolled.key) {
      this.#options.log.info({ agentId, key }, 'an agent has replaced its key');
      this.#options.onEnrolled?.(agentId, 'agent replaced its key');
    }
    this.#problems.delete(agentId);
    // also what an earlier connection has changed
    await this.#enrolled.stored(agentId);
    return isAnnounced ? { kind: 'announced' } : this.#proved(proof);
  }

  /** The agent may have been revoked while its proof was stored. */
  #proved({ agentId, key }: Proof): Verdict {
    if (this.#enrolled.get(agentId)?.key === key) return { kind: 'proved', identity: this.#identityOf(agentId) };
    return this.#refuse(agentId, closeCodes.revoked, 'the key of the agent was revoked');
  }

  #pendingVerdict(agentId: string): Verdict {
    return {
      kind: 'pending',
      wait: (onDecided) => {
        const waiting = this.#waiting.get(agentId) ?? new Set();
        this.#waiting.set(agentId, waiting.add(onDecided));
        return () => {
          waiting.delete(onDecided);
          if (waiting.size === 0 && this.#waiting.get(agentId) === waiting) this.#waiting.delete(agentId);
        };
      },
    };
  }

  #decide(agentId: string, identity: AgentIdentity | undefined): void {
    const waiting = this.#waiting.get(agentId) ?? [];
    this.#waiting.delete(agentId);
    for (const onDecided of waiting) onDecided(identity);
  }

  /** Gives an agent another key. The one that it had ends with its connections. */
  #enrol(agentId: string, key: EnrolledKey): void {
    const isKnown = this.has(agentId);
    this.#options.onForgotten?.(agentId);
    this.#endConnections(agentId);
    this.#enrolled.set(agentId, key);
    this.#options.onEnrolled?.(agentId, 'agent enrolled');
    this.#options.log.info(
      { agentId, key: key.key },
      isKnown ? 'an agent has enrolled again' : 'an agent has enrolled',
    );
  }

  /** Lets an agent wait again, with the key that it had before, unless it was revoked meanwhile. */
  #unenrol(agentId: string, key: EnrolledKey, before: EnrolledKey | undefined): void {
    if (this.#enrolled.get(agentId)?.key !== key.key) return;
    if (before) this.#enrolled.set(agentId, before);
    else this.#enrolled.delete(agentId);
    this.#pending.set(agentId, key);
    this.#options.onEnrolled?.(agentId, 'agent waits');
  }

  #endConnections(agentId: string): void {
    const revocation = this.#revocations.get(agentId);
    this.#revocations.delete(agentId);
    revocation?.abort();
  }

  #identityOf(agentId: string): AgentIdentity {
    const revocation = this.#revocations.get(agentId) ?? new AbortController();
    this.#revocations.set(agentId, revocation);
    return { agentId, revoked: revocation.signal };
  }

  #refuseCopy(agentId: string): Verdict {
    this.#options.onCopy(agentId);
    const problem = `another cluster has enrolled this key, so this one may be a copy; enrol it with another id`;
    return this.#refuse(agentId, closeCodes.copied, problem);
  }

  #refuse(agentId: string, code: number, reason: string): Verdict {
    const isKnown = this.has(agentId) || this.#pending.get(agentId) || this.#tokens.of(agentId);
    if (isKnown) this.#problems.set(agentId, reason);
    if (code !== closeCodes.copied) this.#options.onRefused?.(agentId);
    if (this.#logged.take()) this.#options.log.warn({ agentId, code, reason }, 'refused the key of an agent');
    return { kind: 'refused', code, reason };
  }
}

async function isSigned(proof: Proof, challenge: Challenge): Promise<boolean> {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: proof.key }, format: 'jwk' });
    return await verifySignature(null, proofText(challenge, proof), key, Buffer.from(proof.signature, 'base64url'));
  } catch {
    return false; // it is not a point of the curve
  }
}

/** The reason for the end of a connection has at most 123 bytes. */
function shorten(agentId: string): string {
  return agentId.length > 30 ? `${agentId.slice(0, 29)}…` : agentId;
}
