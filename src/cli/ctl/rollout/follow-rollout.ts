import type { ProgramDependencies, Terminal } from '../../dependencies.ts';
import { oneLine } from '../../text.ts';
import { ApiError } from '../api-request.ts';
import { reconnection } from '../reconnection.ts';
import type { RolloutClient, RolloutSummary } from './rollout-client.ts';
import { awaitsPlans, changedLines, rolloutLines } from './rollout-lines.ts';

export interface FollowRolloutOptions extends Pick<ProgramDependencies, 'stdout' | 'stderr' | 'onInterrupt'> {
  client: Pick<RolloutClient, 'changes'>;
  /** Returns a shell command about the rollout, for hints. */
  hint: (...words: readonly string[]) => string;
  /** Prints all changes as lines of JSON on stdout, and nothing else. Default: false. */
  json?: boolean;
  /** Returns the time in milliseconds. */
  now: () => number;
}

/** Exit codes: the rollout has failed, and it continues only if someone decides so. */
const failedCode = 1;
const decisionCode = 2;

const redrawMs = 1000;

/**
 * Shows a rollout on stderr until it has ended, or waits for a decision. Prints the last state on
 * stdout. Returns the exit code: 0 for success, 1 for a failure, 2 if someone must decide.
 */
export async function followRollout(id: string, options: FollowRolloutOptions): Promise<number> {
  const { stdout, stderr, onInterrupt, client, hint, now, json = false } = options;
  const interrupted = new AbortController();
  const release = onInterrupt(() => interrupted.abort());
  const signal = AbortSignal.any([interrupted.signal, json ? stdout.closed : stderr.closed]);
  const screen = json ? silentScreen(stderr) : stderr.isTerminal ? liveScreen(stderr, now) : plainScreen(stderr, now);
  const { responds, pauseAfter } = reconnection({ signal, say: screen.say });
  try {
    for (;;) {
      try {
        for await (const change of client.changes(id, signal, responds)) {
          if (json) stdout.write(`${JSON.stringify(change)}\n`);
          if (change.type !== 'rollout') continue;
          screen.show(change.payload);
          const code = exitCodeOf(change.payload);
          if (code === undefined) continue;
          screen.close();
          if (code === decisionCode && !json) stderr.write(`${adviceOf(change.payload, hint)}\n`);
          return code;
        }
        throw new ApiError('the control plane has ended the events of the rollout', true);
      } catch (error) {
        await pauseAfter(error);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    screen.close();
    stderr.write(`\nStopped following. The rollout continues; to follow it again:\n  ${hint('status')} --follow\n`);
    return failedCode;
  } finally {
    screen.close();
    release();
  }
}

/** Returns undefined if the rollout continues by itself. */
function exitCodeOf({ phase, awaitsApproval }: RolloutSummary): number | undefined {
  switch (phase) {
    case 'succeeded':
      return 0;
    case 'failed':
    case 'aborted':
      return failedCode;
    case 'paused':
      return decisionCode;
    default:
      return awaitsApproval ? decisionCode : undefined;
  }
}

function adviceOf(rollout: RolloutSummary, hint: FollowRolloutOptions['hint']): string {
  const { awaitsApproval, wave, reason = '', groups = [] } = rollout;
  if (awaitsPlans(rollout)) {
    const waiting = groups.filter(({ approvedBy }) => approvedBy === undefined).map(({ id }) => id.slice(0, 12));
    return `To see the plans:\n  ${hint('plans')}\nTo approve them:\n  ${hint('approve', '--plan', waiting.join(','))}`;
  }
  const next = awaitsApproval ? wave : wave + 1;
  const isForApproval = awaitsApproval || reason.includes('approve the next wave');
  const words = isForApproval ? hint('approve', `${next}`) : hint('resume');
  return `To continue:\n  ${words}\nTo return its clusters to what they had:\n  ${hint('abort')} --undo`;
}

interface RolloutScreen {
  show(rollout: RolloutSummary): void;
  /** Writes a line that is not about the rollout. */
  say: (line: string) => void;
  /** Ends the redrawing. */
  close(): void;
}

function silentScreen(terminal: Terminal): RolloutScreen {
  return { show: () => undefined, say: (line) => terminal.write(`${line}\n`), close: () => undefined };
}

function plainScreen(terminal: Terminal, now: () => number): RolloutScreen {
  let last: RolloutSummary | undefined;
  return {
    ...silentScreen(terminal),
    show(rollout) {
      const lines = changedLines(last, rollout, now());
      last = rollout;
      terminal.write(lines.map((line) => `${oneLine(line)}\n`).join(''));
    },
  };
}

function liveScreen(terminal: Terminal, now: () => number): RolloutScreen {
  let last: RolloutSummary | undefined;
  let drawn = 0;
  const draw = () => {
    if (!last) return;
    // the last line of a terminal stays free, for the cursor
    const lines = rolloutLines(last, now(), terminal.columns).slice(-(terminal.rows - 1));
    terminal.erase(drawn);
    terminal.write(lines.map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  };
  const timer = setInterval(draw, redrawMs);
  return {
    show(rollout) {
      last = rollout;
      draw();
    },
    say(line) {
      terminal.erase(drawn);
      drawn = 0;
      terminal.write(`${line}\n`);
      draw();
    },
    close: () => clearInterval(timer),
  };
}
