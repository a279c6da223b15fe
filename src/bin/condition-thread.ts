import { parentPort, workerData } from 'node:worker_threads';
import { createCelEvaluator } from '../policy/conditions/cel.ts';
import type { ConditionTasks } from '../policy/conditions/condition.ts';
import type { ThreadSetup } from '../threads/messages.ts';
import { serveTasks } from '../threads/serve-tasks.ts';

if (parentPort === null) throw new Error('condition-thread runs only as a worker thread');
const evaluator = createCelEvaluator();
// the pool always starts this thread with this data
serveTasks<ConditionTasks>(parentPort, workerData as ThreadSetup, {
  compile: ({ expressions }) => evaluator.compile(expressions),
  evaluate: ({ expressions, values }) => evaluator.evaluate(expressions, values),
  evaluateObjects: ({ expressions, values, objects }) => evaluator.evaluateObjects(expressions, values, objects),
});
