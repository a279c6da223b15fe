import { generateKeyPairSync } from 'node:crypto';
import { messageOf } from '../../errors/index.ts';
import { tokenHash } from '../../net/authorization.ts';
import type { Challenge, Proof } from '../../protocol/proof.ts';
import type { Logger } from '../logger.ts';
import {
  type KeyPair,
  type KeyState,
  KeyStateError,
  type KeyStore,
  signProof,
  type StoredKeyState,
} from './key-state.ts';

export interface AgentKeyOptions {
  agentId: string;
  store: KeyStore;
  /**
   * Reads the token with which the agent enrols. Resolves to undefined if there is none any more.
   * Default: none.
   */
  readToken?: (() => Promise<string | undefined>) | undefined;
  /** Returns the uid of the namespace `kube-system`; undefined if the agent may not read it. */
  clusterUid: () => Promise<string | undefined>;
  /** Age at which a key is replaced, in milliseconds. */
  rotateAfterMs: number;
  now: () => Date;
  log: Logger;
}

/** The proofs of one connection. */
export interface KeyProver {
  /** Returns the reply to a challenge. Rejects if the agent cannot or must not prove its key. */
  answer(challenge: Challenge): Promise<Proof>;
  /** Is called when the control plane has accepted the last proof. */
  proved(): Promise<void>;
}

/** A challenge that the agent does not sign. */
class AgentKeyError extends Error {
  override readonly name = 'AgentKeyError';
}

/** Number of attempts to change the key while other processes of the agent change it. */
const maxAttempts = 10;

/**
 * The key of an agent at its control plane. All that it decides follows from what is stored, and
 * each change is stored before it is used, so that it continues after a crash at any point.
 */
export class AgentKey {
  readonly #options: AgentKeyOptions;
  /** The state when it was read last, for times at which it cannot be read. */
  #last: StoredKeyState | undefined;
  #clusterUid: string | undefined;
  /** Notes of enrolments that are being stored. */
  readonly #notes = new Set<Promise<void>>();

  constructor(options: AgentKeyOptions) {
    this.#options = options;
  }

  /** Milliseconds until the key should be replaced; 0 if it is due. */
  get dueInMs(): number {
    const { rotateAfterMs, now } = this.#options;
    if (!this.#last) return rotateAfterMs;
    return Math.max(0, this.#last.state.key.createdAt + rotateAfterMs - now().getTime());
  }

  /** Resolves when nothing is being stored. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#notes);
  }

  /** Returns the proofs for a new connection. */
  prover(): KeyProver {
    let announced: string | undefined;
    let shown: { audience: string; token: string | undefined } | undefined;
    return {
      answer: async (challenge) => {
        const { stored, token } = await this.#prepare(challenge, announced);
        const { agentId } = this.#options;
        const { key, nextKey } = stored.state;
        // a key is announced on a connection of its own, or after it is enrolled
        const next = token === undefined && announced === undefined ? nextKey?.x : undefined;
        announced = next;
        shown = { audience: challenge.audience, token };
        return signProof(key, challenge, {
          agentId,
          ...(next !== undefined && { nextKey: next }),
          ...(token !== undefined && { enrolmentToken: token }),
          ...(await this.#place(stored)),
        });
      },
      proved: async () => {
        if (shown?.token === undefined) return;
        const note = this.#noteEnrolment(shown.audience, tokenHash(shown.token));
        this.#notes.add(note);
        await note.finally(() => this.#notes.delete(note));
      },
    };
  }

  /**
   * Returns the state with which a challenge is answered, and the token if the key is to be
   * enrolled. Creates, announces and promotes keys.
   */
  async #prepare(challenge: Challenge, announced: string | undefined) {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const stored = await this.#read();
      const state = stored?.state;
      const token = await this.#unusedToken(state);
      const isEnrolled = state?.audience === challenge.audience;
      if (!isEnrolled && token === undefined) throw new AgentKeyError(notEnrolledText(state));
      const change = this.#changeOf(state, { isRotating: token === undefined, announced });
      if (stored && !change) return { stored, token };
      if (change) await this.#options.store.write(change, stored?.version);
    }
    throw new AgentKeyError('other processes of the agent change its key all the time; is the id used twice?');
  }

  /** Returns the next state; undefined if the present one is to be used. */
  #changeOf(
    state: KeyState | undefined,
    { isRotating, announced }: { isRotating: boolean; announced: string | undefined },
  ): KeyState | undefined {
    const { now, rotateAfterMs, log, agentId } = this.#options;
    const createdAt = now().getTime();
    if (!state) {
      log.info({ agentId }, 'making a key for this agent');
      return { key: newKeyPair(createdAt) };
    }
    const { nextKey, ...others } = state;
    if (nextKey !== undefined && nextKey.x === announced) {
      log.info({ agentId }, 'replacing the key of this agent');
      return { ...others, key: nextKey };
    }
    const isDue = isRotating && announced === undefined && createdAt - state.key.createdAt >= rotateAfterMs;
    return isDue && nextKey === undefined ? { ...state, nextKey: newKeyPair(createdAt) } : undefined;
  }

  /**
   * Reads the state. If that fails, as when the API server does not respond, the last one is used
   * without its next key, because that would be a change.
   */
  async #read(): Promise<StoredKeyState | undefined> {
    try {
      this.#last = await this.#options.store.read();
      return this.#last;
    } catch (error) {
      if (!this.#last || error instanceof KeyStateError) throw error;
      this.#options.log.warn({ reason: messageOf(error) }, 'cannot read the key of this agent; using the last one');
      const { key, audience, usedToken } = this.#last.state;
      // it is not due either
      return { ...this.#last, state: { key: { ...key, createdAt: Infinity }, audience, usedToken } };
    }
  }

  async #unusedToken(state: KeyState | undefined): Promise<string | undefined> {
    const token = await this.#options.readToken?.();
    return token === undefined || state?.usedToken === tokenHash(token) ? undefined : token;
  }

  async #noteEnrolment(audience: string, usedToken: string): Promise<void> {
    const { store, log, agentId } = this.#options;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const stored = await store.read();
      if (!stored) return;
      this.#last = stored;
      if (stored.state.audience === audience && stored.state.usedToken === usedToken) return;
      if (await store.write({ ...stored.state, audience, usedToken }, stored.version)) break;
    }
    log.info({ agentId }, 'the key of this agent is enrolled');
  }

  async #place({ uid }: StoredKeyState) {
    // if it cannot be read now, the next proof may have it
    this.#clusterUid ??= await this.#options.clusterUid().catch(() => undefined);
    return {
      ...(this.#clusterUid !== undefined && { clusterUid: this.#clusterUid }),
      ...(uid !== undefined && { secretUid: uid }),
    };
  }
}

function newKeyPair(createdAt: number): KeyPair {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { d, x, createdAt };
}

function notEnrolledText(state: KeyState | undefined): string {
  const advice = 'make a token with helm-agent ctl enrol, and name its file with --enrolment-token-file';
  return state?.audience === undefined
    ? `the agent has not enrolled, and has no token for that: ${advice}`
    : `this is another control plane than the one at which the agent has enrolled, or it has lost its store; to enrol at this one, ${advice}`;
}
