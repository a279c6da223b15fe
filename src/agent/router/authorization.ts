import { setTimeout as sleep } from 'node:timers/promises';
import { asError } from '../../errors/index.ts';
import type { ServiceAccount } from '../../objects/service-account.ts';
import type { Turn } from '../../operation/context.ts';
import type { CommandPolicy } from '../../policy/command-policy.ts';
import type { Policy } from '../../policy/policy-file.ts';
import type { PolicyScope } from '../../policy/policy-scope.ts';
import type { CommandScope } from '../../rights/command-selector.ts';
import type { Rights } from '../../rights/rights-file.ts';
import type { SignatureUse, UsedSignatures } from '../../signatures/used-signatures.ts';
import type { Logger } from '../logger.ts';
import { CommandError } from './errors.ts';
import { failureOf } from './failure.ts';
import type { IncomingCommand } from './incoming-command.ts';
import type { Job } from './job.ts';

export interface AuthorizationOptions {
  /** As in `RouterOptions`. */
  rights: Rights | undefined;
  /** As in `RouterOptions`. */
  policy: Policy | undefined;
  agentId: string;
  usedSignatures: UsedSignatures;
}

type Authorized = Pick<Job, 'running' | 'left'>;

/** As which service account a command runs, or why it may not. */
export interface Identity {
  /** Undefined for the agent itself. */
  account?: ServiceAccount;
  /** Undefined without a policy. */
  policy?: CommandPolicy | undefined;
  refusal?: Error;
}

/** Errors that end when the owner corrects a file. */
const ownerFileCodes: ReadonlySet<string> = new Set(['rights_file_invalid', 'policy_invalid']);

/** Pause before a file of the owner that was wrong is read again, in milliseconds. */
const ownerFilePauseMs = 1000;

/** Decides by the files of the cluster's owner as whom commands run, and if they may. */
export class Authorization {
  readonly #options: AuthorizationOptions;

  constructor(options: AuthorizationOptions) {
    this.#options = options;
  }

  /** Returns the identity of a command, or undefined if files of the owner must be read for it. */
  identityWithoutFiles({ left }: Authorized): Identity | undefined {
    const { rights, policy } = this.#options;
    return rights === undefined && policy === undefined ? ownIdentity(left) : undefined;
  }

  /**
   * Finds as whom a command runs, if it may. Waits for correct files if the command has begun.
   * Never rejects.
   */
  async identityOf(job: Authorized, log: () => Logger): Promise<Identity> {
    const { running, left } = job;
    if (running.command.type === 'cancel_command') return {}; // sends nothing to the cluster
    const find = async (): Promise<Identity> => {
      const policy = await this.policyOf(job);
      const use = signatureUse(running.command, policy);
      if (use !== undefined && left === undefined) await this.#options.usedSignatures.requireUnused(use);
      return { ...(await this.#accountOf(job)), policy };
    };
    const signal = AbortSignal.any([running.cancellation.signal, running.abandonment.signal]);
    try {
      return await (left === undefined ? find() : withCorrectFiles(find, signal, log));
    } catch (error) {
      return { refusal: asError(error) };
    }
  }

  async #accountOf({ running, left }: Authorized): Promise<Identity> {
    if (running.command.asAgent) return {};
    if (this.#options.rights === undefined) return ownIdentity(left);
    const scope = scopeOf(running.command);
    const account = await (left === undefined
      ? this.#options.rights.accountFor(scope)
      : this.#options.rights.accountToContinue(left.account, scope));
    return { account };
  }

  /** Returns what the owner of the cluster allows a command now. Rejects with `PolicyError`. */
  async policyOf(
    { running, left }: Authorized,
    when: Parameters<Policy['decide']>[1] = left === undefined ? 'begins' : 'continued',
  ): Promise<CommandPolicy | undefined> {
    const { chart, changes, key, type, payload: text, fields: payload, envelope } = running.command;
    const packet = { agentId: this.#options.agentId, key, type, payload: text, envelope };
    const scope: PolicyScope = { ...scopeOf(running.command), changes: changes !== undefined, chart, payload, packet };
    return await this.#options.policy?.decide(scope, when);
  }

  /**
   * Returns what the owner of the cluster allows a change of a release in its turn. Rejects with
   * `PolicyError`. Waits for a correct file if an earlier process may have begun the change.
   */
  async policyInTurn(
    job: Authorized,
    { isOneOfMany, signal }: Turn,
    log: () => Logger,
  ): Promise<CommandPolicy | undefined> {
    if (isOneOfMany || job.left === undefined) return await this.policyOf(job, 'again');
    return await withCorrectFiles(() => this.policyOf(job, 'continued'), signal, log);
  }

  /** Notes that a command uses its signature, so that no other command can. */
  async noteSignature({ running, left }: Authorized, policy: CommandPolicy | undefined): Promise<void> {
    const use = signatureUse(running.command, policy);
    if (use !== undefined) await this.#options.usedSignatures.note(use, left !== undefined);
  }
}

/**
 * Repeats a decision while a file of the owner is wrong. Rejects with the reason of the last one
 * when the signal aborts.
 */
async function withCorrectFiles<Result>(
  decide: () => Promise<Result>,
  signal: AbortSignal,
  log: () => Logger,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await decide();
    } catch (error) {
      if (!ownerFileCodes.has(failureOf(error).code)) throw error;
      if (attempt === 0) log().warn({ reason: asError(error).message }, 'cannot continue a command yet');
      try {
        await sleep(ownerFilePauseMs, undefined, { signal });
      } catch {
        throw error;
      }
    }
  }
}

function scopeOf({ type, right, target, sentBy }: IncomingCommand): CommandScope {
  return { type, right, ...target, sentBy };
}

/** Returns how a command uses its signature, unless it only reads. */
function signatureUse(
  { key, right, changes }: IncomingCommand,
  policy: CommandPolicy | undefined,
): SignatureUse | undefined {
  if (policy?.signature === undefined || key === undefined || (right === 'read' && changes === undefined))
    return undefined;
  const { issuedAt, expiresAt } = policy.signature;
  return { release: changes, key, issuedAt, expiresAt };
}

/** Returns the identity of a command of an agent without rights file: the agent itself. */
function ownIdentity(left: Job['left']): Identity {
  if (left?.account === undefined) return {};
  const message = `the command was accepted to run as the service account ${left.account}, and the agent has no rights file now; it was not continued, and the release is left as it is; start the agent with --rights-file`;
  return { refusal: new CommandError('forbidden', message) };
}
