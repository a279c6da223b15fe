import type { ServiceAccount } from '../../objects/service-account.ts';
import type { Turn } from '../../operation/context.ts';
import type { Progress } from '../../operation/progress.ts';
import type { Checkpoints } from '../../operation/state/checkpoints.ts';
import type { OperationState } from '../../operation/state/operation-state.ts';
import type { CommandPolicy } from '../../policy/command-policy.ts';
import type { CancelCommandMode } from '../../protocol/commands/cancel-command.ts';
import type { CommandAnswers, CommandPayloads, CommandType } from '../../protocol/commands/index.ts';
import type { Logger } from '../logger.ts';
import type { Slot } from '../router/release-queues.ts';

/** The context of one command while it runs. */
export interface CommandContext {
  /** Identifies the operation in its checkpoints. */
  id: string;
  /** The service account that performs the command. Undefined for the agent itself. */
  account: ServiceAccount | undefined;
  /** The limits of the command. Undefined without a policy of the owner of the cluster. */
  policy: CommandPolicy | undefined;
  /** Where the operation's state is saved. */
  checkpoints: Checkpoints;
  /** The state to continue from. Undefined if the command was not performed before. */
  state: OperationState | undefined;
  /**
   * Aborts when the agent stops: an atomic operation undoes its changes. Its reason is an Error
   * with code `cancelled`.
   */
  signal: AbortSignal;
  /** Aborts when no time is left to undo anything. */
  abandon: AbortSignal;
  /** Time that the command has waited for its turn, in milliseconds. */
  queued: number;
  /** Runs a wait for the cluster, during which others may work. */
  whileWaiting: Slot['whileWaiting'];
  /**
   * Makes a change of a release when it is its turn, with the limits that the policy has then.
   * Rejects with `PolicyError` if it refuses the command then.
   */
  takeTurn: <Result>(turn: Turn, change: (policy: CommandPolicy | undefined) => Promise<Result>) => Promise<Result>;
  progress(progress: Progress): void;
  /**
   * Cancels the command with the key. Returns false if no such command runs or waits.
   */
  cancel: (key: string, mode: CancelCommandMode) => boolean;
  /** Registers work for when the journal has the answer. Its failure is only logged. */
  onJournaled: (work: () => Promise<void>) => void;
  log: Logger;
}

/**
 * Performs a command and returns the fields of its result. An error that it throws becomes the
 * command's error, with its `code` if the protocol lists it.
 */
export type CommandHandler<Type extends CommandType> = (
  payload: CommandPayloads[Type],
  context: CommandContext,
) => Promise<CommandAnswers[Type]>;

/** A handler for each command. */
export type CommandHandlers = { [Type in CommandType]: CommandHandler<Type> };

/** Handlers by the types of their commands, each of which takes the payload of its own type. */
export type HandlersByType = Readonly<Record<string, (payload: never, context: CommandContext) => Promise<object>>>;
