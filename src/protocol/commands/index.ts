import type * as z from 'zod';
import { adoptRelease } from './adopt-release.ts';
import { applyManifests } from './apply-manifests.ts';
import { applyPlan } from './apply-plan.ts';
import { approvePlan } from './approve-plan.ts';
import { cancelCommand } from './cancel-command.ts';
import { clusterInfo } from './cluster-info.ts';
import { correctRelease } from './correct-release.ts';
import { payloadReader } from './definition.ts';
import { deleteManifests } from './delete-manifests.ts';
import { deletePod } from './delete-pod.ts';
import { deploymentInfo } from './deployment-info.ts';
import { describeObject } from './describe-object.ts';
import { diffRelease } from './diff-release.ts';
import { driftRelease } from './drift-release.ts';
import { execPod } from './exec-pod.ts';
import { getObject } from './get-object.ts';
import { getPlan } from './get-plan.ts';
import { getPolicy } from './get-policy.ts';
import { getRelease } from './get-release.ts';
import { getSealingKey } from './get-sealing-key.ts';
import { installRelease } from './install-release.ts';
import { listEvents } from './list-events.ts';
import { listObjects } from './list-objects.ts';
import { listReleases } from './list-releases.ts';
import { pauseRollout } from './pause-rollout.ts';
import { planRelease } from './plan-release.ts';
import { podLogs } from './pod-logs.ts';
import { portForward } from './port-forward.ts';
import { releaseHistory } from './release-history.ts';
import { releaseStatus } from './release-status.ts';
import { restartWorkload } from './restart-workload.ts';
import { resumeRollout } from './resume-rollout.ts';
import { rollbackRelease } from './rollback-release.ts';
import { runJob } from './run-job.ts';
import { scaleWorkload } from './scale-workload.ts';
import { startRelease } from './start-release.ts';
import { stopRelease } from './stop-release.ts';
import { supportBundle } from './support-bundle.ts';
import { createCommandTable } from './table.ts';
import { templateRelease } from './template-release.ts';
import { testRelease } from './test-release.ts';
import { top } from './top.ts';
import { uninstallRelease } from './uninstall-release.ts';
import { upgradeAgent } from './upgrade-agent.ts';
import { upgradeRelease } from './upgrade-release.ts';
import { watchObjects } from './watch-objects.ts';
import { watchRelease } from './watch-release.ts';

/**
 * All commands. Payload types, the router's dispatch, the control plane's methods, the JSON Schema
 * and the tables of docs/protocol.md derive from this table.
 */
export const commands = {
  install_release: installRelease,
  upgrade_release: upgradeRelease,
  rollback_release: rollbackRelease,
  uninstall_release: uninstallRelease,
  test_release: testRelease,
  adopt_release: adoptRelease,
  template_release: templateRelease,
  diff_release: diffRelease,
  plan_release: planRelease,
  get_plan: getPlan,
  approve_plan: approvePlan,
  apply_plan: applyPlan,
  apply_manifests: applyManifests,
  delete_manifests: deleteManifests,
  list_releases: listReleases,
  get_release: getRelease,
  release_history: releaseHistory,
  release_status: releaseStatus,
  watch_release: watchRelease,
  drift_release: driftRelease,
  correct_release: correctRelease,
  cancel_command: cancelCommand,
  deployment_info: deploymentInfo,
  cluster_info: clusterInfo,
  get_policy: getPolicy,
  get_sealing_key: getSealingKey,
  get_object: getObject,
  list_objects: listObjects,
  watch_objects: watchObjects,
  describe_object: describeObject,
  list_events: listEvents,
  top,
  pod_logs: podLogs,
  restart_workload: restartWorkload,
  scale_workload: scaleWorkload,
  pause_rollout: pauseRollout,
  resume_rollout: resumeRollout,
  delete_pod: deletePod,
  run_job: runJob,
  stop_release: stopRelease,
  start_release: startRelease,
  support_bundle: supportBundle,
  upgrade_agent: upgradeAgent,
  exec_pod: execPod,
  port_forward: portForward,
};

export type Commands = typeof commands;

/** The table of the commands of helm-agent. */
export const commandTable = createCommandTable(commands);

export type CommandType = keyof Commands;

/** The payload of each command as a sender writes it. */
export type CommandParameters = { [Type in CommandType]: z.input<Commands[Type]['payload']> };

/**
 * The payload of each command once it is read: defaults are filled in, times are in milliseconds.
 */
export type CommandPayloads = { [Type in CommandType]: z.output<Commands[Type]['payload']> };

/** The fields of each command's successful result. */
export type CommandAnswers = { [Type in CommandType]: z.output<Commands[Type]['answer']> };

export const commandTypes = Object.keys(commands) as CommandType[]; // Object.keys widens to string[]

export function isCommandType(type: string): type is CommandType {
  return Object.hasOwn(commands, type);
}

/** Schemas that read the payload of each command. */
export const payloadReaders = Object.fromEntries(
  commandTypes.map((type) => [type, payloadReader(commands[type].payload, commands[type].zeroFields)]),
) as { [Type in CommandType]: z.ZodType<CommandPayloads[Type]> }; // each reader is made from its command's payload

type ChangesTable = {
  [Type in CommandType]: { changes: (payload: CommandPayloads[Type]) => string | undefined };
};

/** Returns the key of the release that the command changes; see `CommandDefinition.changes`. */
export function changedRelease<Type extends CommandType>(
  type: Type,
  payload: CommandPayloads[Type],
): string | undefined {
  const table: ChangesTable = commands;
  return table[type].changes(payload);
}
