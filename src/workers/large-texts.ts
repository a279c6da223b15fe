import { AsyncLocalStorage } from 'node:async_hooks';
import { abortReason, Semaphore } from '../async/index.ts';

/** Bytes up to which each text of a command counts as small. */
export const smallBytes = 8 * 1024 * 1024;

/** Maps, lists and scalars up to which the objects of a manifest count as small. */
export const smallNodes = 200_000;

/**
 * Lets one command at a time have large texts in memory: an index, a chart, a manifest or a
 * release. Real ones are small, and commands with small texts do not wait.
 */
export interface LargeTexts {
  /** Runs a command. Its turn, if it takes one, ends with it. */
  run: <Result>(command: () => Promise<Result>) => Promise<Result>;
  /** Returns whether the calling command has its turn. Outside of a command there is no limit. */
  mayBeLarge: () => boolean;
  /**
   * Waits for the turn of the calling command. Rejects with the signal's reason, and when the
   * command ends: a text that fails may end it while others still wait.
   */
  waitForTurn: (signal: AbortSignal) => Promise<void>;
}

interface Command {
  /** Aborts when the command ends. */
  ended: AbortController;
  /** Resolves when its turn has come. Undefined if it does not wait for one. */
  turn?: Promise<void> | undefined;
  hasTurn: boolean;
}

/**
 * Returns turns of which none is taken.
 * @param afterTurn called when a turn has ended, before the next one starts
 */
export function createLargeTexts(afterTurn: () => void = () => undefined): LargeTexts {
  const commands = new AsyncLocalStorage<Command>();
  const turns = new Semaphore(1);

  async function takeTurn(command: Command, signal: AbortSignal): Promise<void> {
    const ended = command.ended.signal;
    try {
      await turns.acquire(AbortSignal.any([signal, ended]));
    } catch (error) {
      command.turn = undefined;
      throw error;
    }
    if (ended.aborted) {
      // nothing else releases a turn that comes too late
      turns.release();
      throw abortReason(ended);
    }
    command.hasTurn = true;
  }

  function end({ ended, hasTurn }: Command): void {
    ended.abort(new Error('the command has ended'));
    if (!hasTurn) return;
    // later, so that nothing of the command is in use any more
    setImmediate(() => {
      afterTurn();
      turns.release();
    });
  }

  return {
    run(command) {
      const state: Command = { ended: new AbortController(), hasTurn: false };
      return commands.run(state, async () => {
        try {
          return await command();
        } finally {
          end(state);
        }
      });
    },
    mayBeLarge: () => commands.getStore()?.hasTurn ?? true,
    async waitForTurn(signal) {
      const command = commands.getStore();
      if (command === undefined) return;
      // several texts of a command wait for the same turn
      command.turn ??= takeTurn(command, signal);
      await command.turn;
    },
  };
}
