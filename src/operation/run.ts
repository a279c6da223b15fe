import type { OperationContext } from './context.ts';
import type { Progress, StepName } from './progress.ts';
import { stepRunner, type StepRunner, type StepTools } from './steps/step-runner.ts';
import { timeLimit } from './steps/time-limit.ts';

/** The default of the helm CLI, in milliseconds. */
const defaultTimeout = 5 * 60_000;

/** Runs the steps of an operation with its time limit. */
export async function runSteps<T>(
  context: OperationContext,
  timeout: number | undefined,
  run: (runner: StepRunner) => Promise<T>,
): Promise<T> {
  const { signal, abandon, startTimer } = context;
  const limit = timeLimit(timeout ?? defaultTimeout, [signal, abandon], startTimer);
  try {
    return await run(stepRunner(limit.signal, context.host, context.progress));
  } finally {
    limit.close();
  }
}

/**
 * Undoes a failed operation as one step of it. Has its own time limit, and ignores the deadline and
 * the cancel that may have caused the failure. Progress of nested steps is reported as progress of
 * this one.
 */
export async function compensate<T>(
  context: OperationContext,
  name: StepName,
  timeout: number | undefined,
  run: (runner: StepRunner) => Promise<T>,
): Promise<T> {
  const limit = timeLimit(timeout ?? defaultTimeout, [context.abandon], context.startTimer);
  const runner = stepRunner(limit.signal, context.host, context.progress);
  try {
    return await runner.step(name, (tools) =>
      run(stepRunner(limit.signal, context.host, (progress) => reportNested(tools, progress))),
    );
  } finally {
    limit.close();
  }
}

function reportNested(tools: StepTools, { step, state, message, resources }: Progress): void {
  if (state === 'skipped' || (state === 'done' && message === undefined)) return;
  tools.report({
    message: message === undefined ? step : `${step}: ${message}`,
    ...(resources && { resources }),
  });
}
