import type { CommandAnswers, CommandPayloads, CommandType } from '../protocol/commands/index.ts';
import type { Performer } from './command-operation.ts';

/** Loads the operation of a command. */
type LoadOperation<Payload, Answer> = () => Promise<{ operation: Performer<Payload, Answer> }>;

/** A function for each command that loads its operation. */
type OperationLoaders = {
  readonly [Type in Exclude<CommandType, 'cancel_command' | 'support_bundle'>]: LoadOperation<
    CommandPayloads[Type],
    CommandAnswers[Type]
  >;
};

/** Such functions by the types of commands, each for the payload of its own type. */
export type LoadersByType = Readonly<Record<string, LoadOperation<never, object>>>;

/**
 * The operations of all commands but `cancel_command` and `support_bundle`, which are about the
 * agent itself. A program for one command starts faster with one operation. A missing command is a
 * type error.
 */
export const operations: OperationLoaders = {
  install_release: () => import('./install.ts'),
  upgrade_release: () => import('./upgrade.ts'),
  rollback_release: () => import('./rollback.ts'),
  uninstall_release: () => import('./uninstall.ts'),
  test_release: () => import('./test-release.ts'),
  adopt_release: () => import('./adopt.ts'),
  template_release: () => import('./template.ts'),
  diff_release: () => import('./diff/diff-release.ts'),
  plan_release: () => import('./plan/plan-release.ts'),
  get_plan: () => import('./plan/get-plan.ts'),
  approve_plan: () => import('./plan/approve-plan.ts'),
  apply_plan: () => import('./plan/apply-plan.ts'),
  apply_manifests: () => import('./manifests/apply-manifests.ts'),
  delete_manifests: () => import('./manifests/delete-manifests.ts'),
  list_releases: () => import('./list.ts'),
  get_release: () => import('./get.ts'),
  release_history: () => import('./history.ts'),
  release_status: () => import('./release-status.ts'),
  watch_release: () => import('./watch-release.ts'),
  drift_release: () => import('./drift/drift-release.ts'),
  correct_release: () => import('./drift/correct-release.ts'),
  deployment_info: () => import('./deployment-info.ts'),
  cluster_info: () => import('./objects/cluster-info.ts'),
  get_policy: () => import('./get-policy.ts'),
  get_sealing_key: () => import('./get-sealing-key.ts'),
  get_object: () => import('./objects/get-object.ts'),
  list_objects: () => import('./objects/list-objects.ts'),
  watch_objects: () => import('./objects/watch-objects.ts'),
  describe_object: () => import('./objects/describe-object.ts'),
  list_events: () => import('./objects/list-events.ts'),
  top: () => import('./objects/top.ts'),
  pod_logs: () => import('./pod-logs/pod-logs.ts'),
  restart_workload: () => import('./act/restart-workload.ts'),
  scale_workload: () => import('./act/scale-workload.ts'),
  pause_rollout: () => import('./act/pause-rollout.ts'),
  resume_rollout: () => import('./act/resume-rollout.ts'),
  delete_pod: () => import('./act/delete-pod.ts'),
  run_job: () => import('./act/run-job.ts'),
  stop_release: () => import('./act/stop-release.ts'),
  start_release: () => import('./act/start-release.ts'),
  upgrade_agent: () => import('./agent-upgrade/upgrade-agent.ts'),
  exec_pod: () => import('./exec/exec-pod.ts'),
  port_forward: () => import('./exec/port-forward.ts'),
};
