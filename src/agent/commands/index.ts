import { adoptRelease } from './adopt-release.ts';
import { applyPlan } from './apply-plan.ts';
import { cancelCommand } from './cancel-command.ts';
import type { CommandHandlers } from './command-handler.ts';
import { deploymentInfo } from './deployment-info.ts';
import { diffRelease } from './diff-release.ts';
import { getRelease } from './get-release.ts';
import { installRelease } from './install-release.ts';
import { listReleases } from './list-releases.ts';
import { handlerOf, type CommandDependencies } from './performance.ts';
import { planRelease } from './plan-release.ts';
import { releaseHistory } from './release-history.ts';
import { releaseStatus } from './release-status.ts';
import { rollbackRelease } from './rollback-release.ts';
import { templateRelease } from './template-release.ts';
import { testRelease } from './test-release.ts';
import { uninstallRelease } from './uninstall-release.ts';
import { upgradeRelease } from './upgrade-release.ts';
import { watchRelease } from './watch-release.ts';

/**
 * Returns the handlers that perform commands as operations on releases. A missing command is a type
 * error.
 */
export function createCommandHandlers(dependencies: CommandDependencies): CommandHandlers {
  return {
    install_release: handlerOf(installRelease, dependencies),
    upgrade_release: handlerOf(upgradeRelease, dependencies),
    rollback_release: handlerOf(rollbackRelease, dependencies),
    uninstall_release: handlerOf(uninstallRelease, dependencies),
    test_release: handlerOf(testRelease, dependencies),
    adopt_release: handlerOf(adoptRelease, dependencies),
    template_release: handlerOf(templateRelease, dependencies),
    diff_release: handlerOf(diffRelease, dependencies),
    plan_release: handlerOf(planRelease, dependencies),
    apply_plan: handlerOf(applyPlan, dependencies),
    list_releases: handlerOf(listReleases, dependencies),
    get_release: handlerOf(getRelease, dependencies),
    release_history: handlerOf(releaseHistory, dependencies),
    release_status: handlerOf(releaseStatus, dependencies),
    watch_release: handlerOf(watchRelease, dependencies),
    cancel_command: cancelCommand,
    deployment_info: handlerOf(deploymentInfo, dependencies),
  };
}
