import { createThreadPool } from '../../threads/thread-pool.ts';
import type { ConditionEvaluator, ConditionTasks } from './condition.ts';

interface EvaluatorOptions {
  /** Module that a thread runs: it calls `serveTasks` with {@link ConditionTasks}. */
  moduleUrl: URL;
  /** Time for one task, in milliseconds. Default: 2000. */
  milliseconds?: number;
  /** Time until a thread that does not stop is ended, in milliseconds. Default: 1000. */
  graceMs?: number;
}

const memoryMb = 64;

/** A thread takes longer to start than conditions to evaluate. */
const idleMs = 600_000;

/**
 * Returns an evaluator that compiles and evaluates conditions in a thread, which starts with the
 * first one.
 */
export function createThreadedEvaluator({ moduleUrl, milliseconds = 2000, graceMs = 1000 }: EvaluatorOptions): {
  evaluator: ConditionEvaluator;
  close: () => Promise<void>;
} {
  const pool = createThreadPool<ConditionTasks>({
    ...{ moduleUrl, idleMs, graceMs, size: 1 },
    limits: { milliseconds, memoryMb },
  });
  const { signal } = new AbortController(); // the pool ends tasks itself
  const subject = 'evaluating the conditions';
  return {
    evaluator: {
      compile: (expressions) => pool.run('compile', { expressions }, { signal, subject }),
      evaluate: (expressions, values) => pool.run('evaluate', { expressions, values }, { signal, subject }),
      evaluateObjects: (expressions, values, objects) =>
        pool.run('evaluateObjects', { expressions, values, objects }, { signal, subject }),
    },
    close: () => pool.close(),
  };
}
