import { deletePod as deletePodCommand } from '../../protocol/commands/delete-pod.ts';
import type { CommandAnswers, CommandType } from '../../protocol/commands/index.ts';
import { pauseRollout } from '../../protocol/commands/pause-rollout.ts';
import { restartWorkload } from '../../protocol/commands/restart-workload.ts';
import { resumeRollout } from '../../protocol/commands/resume-rollout.ts';
import { runJob as runJobCommand } from '../../protocol/commands/run-job.ts';
import { scaleWorkload } from '../../protocol/commands/scale-workload.ts';
import { startRelease } from '../../protocol/commands/start-release.ts';
import { stopRelease } from '../../protocol/commands/stop-release.ts';
import { valueOfPlain } from '../../release/plain-value.ts';
import { textOf } from '../ctl/output/format.ts';
import { outputFlag, outputFormat } from '../helm/flags/output-flag.ts';
import { oneLine } from '../text.ts';
import type { Verb, VerbDefinition } from './verb.ts';

// Helm does not have these verbs.

type ActionType = {
  [Type in CommandType]: CommandAnswers[Type] extends { changes: unknown } ? Type : never;
}[CommandType];

export const restart = action('restart_workload', restartWorkload);
export const scale = action('scale_workload', scaleWorkload);
export const pause = action('pause_rollout', pauseRollout);
export const resume = action('resume_rollout', resumeRollout);
export const deletePod = action('delete_pod', deletePodCommand);
export const runJob = action('run_job', runJobCommand);
export const stop = action('stop_release', stopRelease);
export const start = action('start_release', startRelease);

function action<Type extends ActionType>(type: Type, definition: VerbDefinition): Verb<Type> {
  return {
    type,
    definition,
    flags: [outputFlag],
    text: ({ changes }, { flags }) =>
      textOf(outputFormat(flags), { table: () => changesText(changes), data: () => valueOfPlain(changes) }),
  };
}

function changesText(changes: CommandAnswers[ActionType]['changes']): string {
  if (changes.length === 0) return 'There was nothing to change.\n';
  return changes.map(({ kind, name, change }) => `${oneLine(`${kind} ${name} ${change}`)}\n`).join('');
}
