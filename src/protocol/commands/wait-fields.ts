import * as z from 'zod';
import { objectName } from '../bounded.ts';
import { durationError, timeoutSchema } from '../duration.ts';
import { failFastLevels, problemClassNames, problemCodes } from '../problem-codes.ts';
import { field } from './field.ts';

export const timeoutField = field(
  timeoutSchema
    .optional()
    .describe(
      'Time limit for the whole operation, the wait for its turn included: a Go duration (`5m0s`, `1h30m`) or a number of seconds; more than 0, at most `168h`. Default: `5m`',
    ),
  {
    name: 'timeout',
    kind: 'duration',
    initial: '5m0s',
    only: 'ctl',
    help: 'time limit of the whole operation, at most 168h',
  },
  {
    name: 'timeout',
    kind: 'duration',
    initial: '5m0s',
    only: 'helm',
    help: 'time limit of each wait, such as that for a hook, at most 168h',
  },
);

export const timeoutScopeField = field(
  z
    .enum(['operation', 'wait'])
    .optional()
    .describe(
      'What `timeout` limits: `"operation"` all of it, or `"wait"`, as in Helm, the wait for resources and that for each hook, also while the operation is undone, and the wait for its turn. Default: `"operation"`',
    ),
  {
    name: 'timeout-scope',
    kind: 'choice',
    choices: { operation: 'operation', wait: 'wait' },
    only: 'ctl',
    helmDefault: 'wait',
    help: 'what --timeout limits: the operation, or as in helm each wait (default: operation)',
  },
);

export const waitOption = z.union([z.boolean(), z.enum(['watcher', 'legacy', 'hookOnly'])], {
  error: 'must be true, false, watcher, legacy or hookOnly',
});

const waitField = field(
  waitOption
    .optional()
    .describe(
      "Wait until all resources are ready. Helm's `watcher` means true, and `legacy` judges by the rules of Helm 3; `hookOnly` waits for hooks only, like false, unless `atomic` is true. Default: true",
    ),
  {
    name: 'wait',
    kind: 'wait',
    helmDefault: 'hookOnly',
    help: 'wait until all resources are ready (default); legacy judges by the rules of helm 3, hookOnly waits for hooks only',
  },
);

export const failFastSchema = z.union(
  [z.enum(failFastLevels), z.partialRecord(z.enum(problemCodes), z.enum(problemClassNames))],
  {
    error: `must be ${failFastLevels.join(', ')}, or an object with a class (${problemClassNames.join(', ')}) for problem codes`,
  },
);

const waitCondition = z
  .string()
  .max(256)
  .regex(
    /^(condition=[^=]+(=.+)?|jsonpath=\{.*\}(=.+)?)$/s,
    'must be condition=NAME[=STATUS] or jsonpath={PATH}[=VALUE]',
  );

/** Rules for when resources are ready. */
export const readinessField = field(
  z
    .array(
      z.object({
        kind: z.string().max(512).describe('`Widget`, or `example.com/Widget`'),
        name: objectName.optional().describe('Name of the resource. Default: all'),
        readyWhen: waitCondition.describe('A condition as `kubectl wait --for` has it'),
        failedWhen: waitCondition.optional().describe('A condition with which the wait fails. Default: none'),
      }),
    )
    .max(100)
    .optional()
    .describe(
      'When resources are ready, in place of the rules of their kinds: `{kind, name?, readyWhen, failedWhen?}` with conditions as of `kubectl wait --for`, such as `condition=Synced` or `jsonpath={.status.phase}=Running`; see readiness.md. Default: none',
    ),
);

/** The options that say which problems end a wait. */
const failFastOptions = {
  failFast: field(
    failFastSchema
      .optional()
      .describe(
        'The problems that end a wait before its deadline: `"fatal"` those that cannot heal, `"likely"` also those that seldom do, after `failGrace`; `"never"` none; or the classes of problems that are to differ, such as `{"crash_loop": "transient"}`. Default: `"likely"`',
      ),
    {
      name: 'fail-fast',
      kind: 'fail-fast',
      only: 'ctl',
      helmDefault: 'never',
      help: 'problems that end the wait early: never, fatal, likely, or classes of some such as crash_loop=transient (default: likely)',
    },
  ),
  failGrace: field(
    timeoutSchema
      .optional()
      .describe(
        'Time after which a likely problem ends the wait if it occurs once more, as `timeout`. Default: `60s`, and at most half of `timeout`',
      ),
    {
      name: 'fail-grace',
      kind: 'duration',
      only: 'ctl',
      help: 'time after which a likely problem ends the wait (default: 60s)',
    },
  ),
};

export const hookTimeoutField = field(
  timeoutSchema
    .optional()
    .describe(
      'Time limit of each hook, as `timeout`, within that of the operation. The annotation `helm-agent/hook-timeout` of a hook takes precedence. Default: none',
    ),
  {
    name: 'hook-timeout',
    kind: 'duration',
    only: 'ctl',
    help: 'time limit of each hook without its own (default: none)',
  },
);

export const logsField = field(
  z
    .boolean()
    .optional()
    .describe(
      'Send the lines that the containers of hooks, and of Jobs that the command creates and waits for, write while they run. Default: false',
    ),
  {
    name: 'logs',
    kind: 'switch',
    only: 'ctl',
    help: 'print the lines that the containers of hooks and Jobs write while they run',
  },
);

/** The steps with a time limit of their own, of all operations. */
const limitedSteps = [
  ...['load', 'crds', 'capabilities', 'render', 'check', 'namespace', 'record'],
  ...['pre-hooks', 'apply', 'wait', 'post-hooks', 'delete'],
] as const;

export const stepTimeoutsField = field(
  z
    .partialRecord(z.enum(limitedSteps), timeoutSchema, {
      error: `must be an object with time limits for steps: ${limitedSteps.join(', ')}`,
    })
    .optional()
    .describe(
      'Time limits of steps within `timeout`, such as `{"pre-hooks": "2m", "wait": "3m"}`. Undoing the operation has none. Default: none',
    ),
  {
    name: 'step-timeout',
    kind: 'step-timeouts',
    only: 'ctl',
    help: 'time limit of a step, such as wait=3m; may be repeated or separated by commas (default: none)',
  },
);

const progressDeadlineField = field(
  timeoutSchema
    .optional()
    .describe(
      'Longest time without progress while waiting: no resource becomes ready, and no workload has more pods that are updated or ready. As `timeout`, which still holds. Default: no limit',
    ),
  {
    name: 'progress-deadline',
    kind: 'duration',
    only: 'ctl',
    help: 'longest time without progress while waiting (default: no limit)',
  },
);

const settleField = field(
  z
    .union([timeoutSchema, z.literal(false)], {
      error: durationError('must be a duration such as 10s, more than 0, or false'),
    })
    .optional()
    .describe(
      'Time for which all resources must stay ready, as `timeout`; false does not hold back any. Default: a container without a readiness probe must have run for 5 seconds, and after a restart longer than before; and the controller of a changed custom resource has 3 seconds to act, if the resource does not show that it has',
    ),
  {
    name: 'settle',
    kind: 'duration',
    word: 'none',
    only: 'ctl',
    helmDefault: false,
    help: 'time for which all resources must stay ready; none does not hold back any (default: 5s of containers without a readiness probe)',
  },
);

/** The options of commands that deploy a revision and wait for it. */
export const waitOptions = {
  timeout: timeoutField,
  timeoutScope: timeoutScopeField,
  wait: waitField,
  waitForJobs: field(z.boolean().optional().describe('Wait until Jobs have completed, too. Default: true'), {
    name: 'wait-for-jobs',
    kind: 'toggle',
    helmDefault: false,
    help: 'wait until Jobs have completed, too',
  }),
  ...failFastOptions,
  readiness: readinessField,
  settle: settleField,
  hookTimeout: hookTimeoutField,
  stepTimeouts: stepTimeoutsField,
  progressDeadline: progressDeadlineField,
  logs: logsField,
};
