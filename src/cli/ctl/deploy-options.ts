import { Option, type Command } from 'commander';
import { addRepositoryOptions, addValueOptions, listed, type RepositoryFlags } from '../chart-options.ts';
import type { CommandParameters } from '../../protocol/commands/index.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { readPassword } from '../password-file.ts';
import { readLikePflag } from '../pflag-arguments.ts';
import { addSettings } from '../settings.ts';
import { stringMap } from '../string-map.ts';
import { valueParameters, type ValueFlags } from '../values.ts';
import {
  addApplyOptions,
  addCrdOptions,
  applyParameters,
  crdParameters,
  storageOption,
  storageParameter,
  unchangedOption,
  unchangedParameter,
  type ApplyFlags,
  type CrdFlags,
} from './apply-options.ts';
import { deployDefaults } from '../helm-default-options.ts';
import { helmDefaultsSettings, wantsHelmDefaults } from './helm-defaults.ts';
import { dryRunOf, historyLimitOf, waitOf } from './helm-values.ts';
import { ifBusyOption } from './busy-option.ts';
import { addFailFastOptions, failFastParameters, type FailFastFlags } from './fail-fast-options.ts';
import { onAgentOption } from './chart-to-send.ts';
import { integer } from './integer.ts';
import { addRecoverOptions, recoverParameters, type RecoverFlags } from './recover-options.ts';
import type { OutputFormat } from './output/format.ts';
import { optionalOutputOption } from './output/output-option.ts';

/** The flags of `install` and `upgrade`. The agent chooses the defaults. */
export interface DeployFlags extends ValueFlags, RepositoryFlags, ApplyFlags, CrdFlags, RecoverFlags, FailFastFlags {
  [flag: string]: unknown;
  onAgent?: boolean;
  namespace?: string;
  timeout?: string;
  atomic?: boolean;
  rollbackOnFailure?: boolean;
  wait?: boolean | string;
  waitForJobs?: boolean;
  settle?: string;
  hookTimeout?: string;
  stepTimeout?: string[];
  logs?: boolean;
  progressDeadline?: string;
  createNamespace?: boolean;
  description?: string;
  cleanupOnFail?: boolean;
  historyMax?: number;
  hooks: boolean;
  dryRun?: string;
  hideSecret?: boolean;
  hideNotes?: boolean;
  renderSubchartNotes?: boolean;
  skipSchemaValidation?: boolean;
  enableDns?: boolean;
  dependencyUpdate?: boolean;
  disableOpenapiValidation?: boolean;
  postRenderer?: string;
  labels?: Record<string, string>;
  unchanged?: string;
  storage?: string;
  ifBusy?: 'queue' | 'reject' | 'supersede';
  output?: OutputFormat;
}

/** Switches that are on by default. Each has a second flag that turns it off. */
const switches: [name: string, on: string, off: string][] = [
  ['atomic', 'undo a failed operation (default)', 'leave a failed release as it is'],
  ['rollback-on-failure', 'the same as --atomic', 'the same as --no-atomic'],
  ['wait-for-jobs', 'also wait until Jobs have completed (default)', 'do not wait for Jobs'],
  ['create-namespace', 'create the namespace if it does not exist (default)', 'do not create the namespace'],
];

/** Adds the flags that `install` and `upgrade` have in common. */
export function addDeployOptions(command: Command): void {
  addRepositoryOptions(command, 'a URL, or a path');
  command.addOption(onAgentOption()).addOption(credentialsOption());
  command.option('--devel', "include pre-releases; same as --version '>0.0.0-0'");
  addValueOptions(command);
  command
    .option('--timeout <duration>', 'time limit (default: 5m)')
    .option('--description <text>', 'description of the revision, for the history of the release')
    .addOption(stringMap('-l, --labels <labels>', 'labels for the stored revision: a=1,b=2; an upgrade removes a=null'))
    .option('--cleanup-on-fail', 'delete the objects that a failed upgrade has created')
    .option('--history-max <number>', 'number of revisions to keep; 0 for all (default: 10)', integer)
    .option('--no-hooks', 'do not run hooks')
    .addOption(hookTimeoutOption())
    .addOption(stepTimeoutOption())
    .addOption(logsOption('hooks and Jobs'))
    .addOption(dryRunOption('print what would be deployed, and change nothing'))
    .option('--hide-secret', 'with --dry-run: leave Secrets out')
    .option('--hide-notes', 'do not print the notes')
    .option('--render-subchart-notes', 'add the notes of subcharts')
    .option('--post-renderer <name>', 'post-renderer of the agent that changes the manifests')
    .option('--skip-schema-validation', 'do not check the values against values.schema.json')
    .option('--enable-dns', 'let templates resolve host names')
    .option('--dependency-update', 'download the dependencies that charts/ does not contain')
    .option('--disable-openapi-validation', 'no effect: only the API server checks the fields of objects')
    .addOption(optionalOutputOption());
  addApplyOptions(command);
  addCrdOptions(command);
  addRecoverOptions(command);
  command
    .addOption(unchangedOption())
    .addOption(storageOption())
    .addOption(ifBusyOption({ supersedes: true }));
  command.option('--take-ownership', 'take over existing objects that do not belong to the release');
  addWaitOptions(command, 'all resources are ready');
  addFailFastOptions(command);
  addSettleOption(command);
  addSwitches(
    command,
    switches.map(([name]) => name),
  );
  addSettings(command, helmDefaultsSettings);
  readLikePflag(command);
}

/** Returns the flag `--dry-run` of helm. */
export function dryRunOption(description: string): Option {
  const modes = 'server: with the cluster; client: without (default: client if given, otherwise none)';
  return new Option('--dry-run [mode]', `${description}; ${modes}`).preset('client');
}

/** Returns the flag for the time limit of hooks. */
export function hookTimeoutOption(): Option {
  return new Option('--hook-timeout <duration>', 'time limit of each hook without its own (default: none)');
}

/** Returns the flag for the lines of logs. */
export function logsOption(of: string): Option {
  return new Option('--logs', `print the lines that the containers of ${of} write while they run`);
}

/** Returns the flag for the time limits of steps. */
export function stepTimeoutOption(): Option {
  return listed('--step-timeout <step=duration>', 'time limit of a step, such as wait=3m (default: none)');
}

/** Returns the parameter that the flags set. */
export function stepTimeoutsOf(flags: readonly string[] | undefined) {
  if (flags === undefined) return undefined;
  const entries = flags.map((flag) => {
    const [, step, duration] = /^([^=]+)=(.+)$/.exec(flag) ?? [];
    if (step === undefined || duration === undefined) {
      throw new Error(`--step-timeout must be STEP=DURATION, not ${JSON.stringify(flag)}`);
    }
    return [step, duration];
  });
  return Object.fromEntries(entries) as CommandParameters['install_release']['stepTimeouts']; // the agent checks the steps
}

/** Adds the flags that say for what to wait. */
export function addWaitOptions(command: Command, until: string): void {
  const description = `wait until ${until} (default); legacy judges by the rules of helm 3, hookOnly waits for hooks only`;
  command
    .addOption(new Option('--wait [strategy]', description).preset('watcher'))
    .option('--no-wait', 'do not wait, except for hooks');
}

/** Adds the flags for the time until resources are ready, and for which they must stay so. */
export function addSettleOption(command: Command): void {
  command.option('--progress-deadline <duration>', 'longest time without progress while waiting (default: no limit)');
  command.option(
    '--settle <duration>',
    'time for which all resources must stay ready; none does not hold back any (default: 5s of containers without a readiness probe)',
  );
}

/** Returns the parameter that the flag sets. */
export function settleOf(settle: string | undefined): string | false | undefined {
  return settle === 'none' ? false : settle;
}

/** Adds the named switches. */
export function addSwitches(command: Command, names: readonly string[]): void {
  for (const [name, on, off] of switches) {
    if (names.includes(name)) command.option(`--${name}`, on).option(`--no-${name}`, off);
  }
}

/** Returns the option for a Secret with the credentials for a repository. */
export function credentialsOption(): Option {
  return new Option(
    '--credentials-from <secret>',
    "Secret in the agent's namespace with the credentials for the repository",
  );
}

/** Returns the parameters that name a chart. */
export async function repositoryParameters(
  chartName: string,
  flags: RepositoryFlags & { dependencyUpdate?: boolean },
  dependencies: Pick<ProgramDependencies, 'readFile'>,
) {
  const { repo, version, devel, username, passwordFile, dependencyUpdate, credentialsFrom } = flags;
  return {
    chartName,
    repoUrl: repo,
    chartVersion: version ?? (devel === true ? '>0.0.0-0' : undefined),
    dependencyUpdate,
    credentialsFrom: credentialsFrom === undefined ? undefined : { secret: credentialsFrom },
    repoUserName: username,
    repoPassword: passwordFile === undefined ? undefined : await readPassword(dependencies, passwordFile),
  };
}

/** Returns the parameters that flags and arguments set. Errors about values have Helm's texts. */
export async function deployParameters(
  { releaseName, chartName }: { releaseName: string; chartName: string },
  flags: DeployFlags,
  dependencies: Pick<ProgramDependencies, 'readFile' | 'env'>,
) {
  const { namespace, timeout, waitForJobs, createNamespace, description, cleanupOnFail, historyMax, labels } = flags;
  const { hideSecret, renderSubchartNotes, skipSchemaValidation, disableOpenapiValidation, enableDns } = flags;
  // as in Helm, JSON and YAML have the notes
  const hideNotes = flags.output === 'json' || flags.output === 'yaml' ? undefined : flags.hideNotes;
  const given = withoutUndefined({
    wait: waitOf(flags.wait),
    waitForJobs,
    settle: settleOf(flags.settle),
    hookTimeout: flags.hookTimeout,
    stepTimeouts: stepTimeoutsOf(flags.stepTimeout),
    progressDeadline: flags.progressDeadline,
    logs: flags.logs,
    atomic: flags.rollbackOnFailure ?? flags.atomic,
    createNamespace,
  });
  return {
    releaseName,
    namespace,
    ...(await repositoryParameters(chartName, flags, dependencies)),
    timeout,
    ...(wantsHelmDefaults(flags, dependencies) && deployDefaults),
    ...given,
    description,
    ifBusy: flags.ifBusy,
    labels,
    postRenderer: flags.postRenderer,
    cleanupOnFail,
    historyLimit: historyLimitOf(historyMax),
    ...applyParameters(flags),
    ...crdParameters(flags),
    ...unchangedParameter(flags.unchanged),
    ...storageParameter(flags.storage),
    ...withoutUndefined(failFastParameters(flags)),
    ...recoverParameters(flags),
    ...(!flags.hooks && { noHooks: true }),
    dryRun: dryRunOf(flags.dryRun),
    ...{ hideSecret, hideNotes, renderSubchartNotes, skipSchemaValidation, disableOpenapiValidation, enableDns },
    ...(await valueParameters(flags, (path) => dependencies.readFile(path))),
  };
}

/** Returns the fields that are not undefined. */
export function withoutUndefined<Fields extends object>(fields: Fields): Partial<Fields> {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Partial<Fields>; // a part of the fields
}
