import { codeOf } from '../../errors/index.ts';
import { quote } from '../../go/strconv.ts';
import { type Fields, without } from '../../protocol/commands/field.ts';
import type { CommandAnswers, CommandPayloads } from '../../protocol/commands/index.ts';
import { installRelease } from '../../protocol/commands/install-release.ts';
import { upgradeRelease } from '../../protocol/commands/upgrade-release.ts';
import type { Command, Invocation } from '../cobra/command.ts';
import type { HelmContext } from '../helm/context.ts';
import { chartPathFlags, credentialsFromFlag, develFlag } from '../helm/flags/chart-path-flags.ts';
import { dryRunMode } from '../helm/flags/dry-run-flag.ts';
import { outputFormat } from '../helm/flags/output-flag.ts';
import { postRendererFlags } from '../helm/flags/post-renderer-flags.ts';
import { cancelledByStop } from '../helm/release/cancelled-by-stop.ts';
import { findChart, loadToDeploy, withGivenChart } from '../helm/release/chart-to-deploy.ts';
import { failedInstall, logFailedUpgrade, withPrefix } from '../helm/release/deploy-failure.ts';
import { withReleases, withSharedReleases } from '../helm/release/with-releases.ts';
import { valueParameters } from '../values.ts';
import { deployValues } from './deployed.ts';
import { fieldValues } from './field-values.ts';
import { helmVerb, lineOf } from './helm-verb.ts';
import { install } from './install.ts';
import { releaseAndChart } from './release-and-chart.ts';
import { upgrade } from './upgrade.ts';
import { valueFlags, valuesOfFlags } from './value-flags.ts';
import type { Verb } from './verb.ts';

type Line = Invocation<HelmContext>;
type DryRun = ReturnType<typeof dryRunMode>;
type DeployType = 'install_release' | 'upgrade_release';

/** The command `helm install` (pkg/cmd/install.go). */
export const helmInstall: Command<HelmContext> = {
  ...deployCommand(install),
  async run(line) {
    const { flags, context } = line;
    const dryRun = dryRunMode(flags, context);
    const fields = without(installRelease.fields, 'dryRun');
    const answer = await withPrefix('INSTALLATION FAILED', async () =>
      runInstall(await releaseAndChart({ ...line, ...context }), { ...valuesOf(fields, line), dryRun }, line),
    );
    await print(install, answer, line);
    return undefined;
  },
};

/** The command `helm upgrade` (pkg/cmd/upgrade.go). */
export const helmUpgrade: Command<HelmContext> = {
  ...deployCommand(upgrade),
  async run(line) {
    const { flags, context } = line;
    const dryRun = dryRunMode(flags, context);
    if (!flags.isOn('install')) await print(upgrade, await runUpgrade(dryRun, line), line);
    else await withSharedReleases(context, (shared) => upgradeOrInstall(dryRun, { ...line, context: shared }));
    return undefined;
  },
};

/** Returns a command with the flags of helm for a chart, which are not those of `ctl`. */
function deployCommand<Type extends DeployType>(verb: Verb<Type>): Command<HelmContext> {
  const command = helmVerb(verb);
  return {
    ...command,
    flags: (context) => [
      ...(command.flags?.(context) ?? []),
      ...valueFlags,
      ...chartPathFlags(context),
      develFlag,
      credentialsFromFlag,
      ...postRendererFlags(),
    ],
  };
}

async function upgradeOrInstall(dryRun: DryRun, line: Line): Promise<void> {
  const { args, flags, context } = line;
  const [releaseName = '', chartName = ''] = args;
  const before = await newestStatus(releaseName, context);
  if (before !== undefined && before !== 'uninstalled') {
    await print(upgrade, await runUpgrade(dryRun, line), line);
    return;
  }
  if (outputFormat(flags) === 'table') {
    context.stdout.write(`Release ${quote(releaseName)} does not exist. Installing it now.\n`);
  }
  // as in Helm, any other mode than false is server-side
  const serverSide = flags.text('server-side') !== 'false';
  const fields = without(installRelease.fields, 'dryRun', 'serverSide', 'replace');
  const values = { ...valuesOf(fields, line), dryRun, serverSide, replace: before === 'uninstalled' };
  await print(install, await runInstall({ releaseName, chartName }, values, line), line);
}

/**
 * Returns the status of the newest revision of a release, `unknown` if none can be read, or
 * undefined without one.
 */
async function newestStatus(releaseName: string, context: HelmContext): Promise<string | undefined> {
  const payload = { releaseName, namespace: await context.namespace(), max: 1 };
  try {
    const { releases, unreadable = [] } = await withReleases(context, (all) => all.perform('release_history', payload));
    if (releases.length === 0 && unreadable.length > 0) return 'unknown';
    return releases.at(-1)?.info.status;
  } catch (error) {
    if (codeOf(error) === 'release_not_found') return undefined;
    throw error;
  }
}

function valuesOf(fields: Fields, { flags, context }: Line): Readonly<Record<string, unknown>> {
  const values = fieldValues(fields, lineOf(context), flags, true);
  return { ...values, ...deployValues(flags, values) };
}

/** Installs a release in the order of Helm, so that of several errors the same one is reported. */
async function runInstall(
  names: { releaseName: string; chartName: string },
  values: Readonly<Record<string, unknown>>,
  line: Line,
): Promise<CommandAnswers['install_release']> {
  const { payload, chart } = await prepare(names, line, { isInstall: true });
  const answer = await perform('install_release', { ...values, ...payload }, chart, line).catch((error: unknown) => {
    throw failedInstall(error, line.context);
  });
  return withGivenChart(answer, chart, line);
}

/** Upgrades a release in the order of Helm, so that of several errors the same one is reported. */
async function runUpgrade(dryRun: DryRun, line: Line): Promise<CommandAnswers['upgrade_release']> {
  const { args, context } = line;
  const [releaseName = '', chartName = ''] = args;
  const { payload, chart } = await prepare({ releaseName, chartName }, line, { isInstall: false });
  const answer = await withPrefix('UPGRADE FAILED', async () => {
    const values = valuesOf(without(upgradeRelease.fields, 'dryRun'), line);
    return perform('upgrade_release', { ...values, dryRun, ...payload }, chart, line).catch((error: unknown) => {
      logFailedUpgrade(error, releaseName, context);
      throw error;
    });
  });
  return withGivenChart(answer, chart, line);
}

/** Finds and loads the chart, and reads the values. */
async function prepare(
  { releaseName, chartName }: { releaseName: string; chartName: string },
  { flags, context }: Line,
  options: { isInstall: boolean },
) {
  const found = await findChart(chartName, flags, context);
  const namespace = await context.namespace();
  const values = await valueParameters(valuesOfFlags(flags), (path) => context.readFile(path));
  const chart = await loadToDeploy(found, { flags, context }, options);
  return { payload: { ...values, releaseName, namespace, ...found.fields }, chart };
}

/** Performs a command that SIGINT and SIGTERM cancel. Says so on stdout, as helm does. */
async function perform<Type extends DeployType>(
  type: Type,
  payload: Readonly<Record<string, unknown>>,
  chart: Awaited<ReturnType<typeof loadToDeploy>>,
  { args: [name = ''], context }: Line,
): Promise<CommandAnswers[Type]> {
  const onCancel = () => {
    context.stdout.write(`Release ${name} has been cancelled.\n`);
  };
  return withReleases(context, (releases) =>
    // the kinds of flags fit their fields
    cancelledByStop(context, { onCancel, endsAtSecond: false }, (signal) =>
      releases.perform(type, payload as CommandPayloads[Type], { chart, signal }),
    ),
  );
}

/** Prints a release that was installed or upgraded, as the flags say. */
async function print(
  verb: Pick<Verb<'install_release'>, 'text'>,
  answer: CommandAnswers['install_release'],
  { args, flags, context }: Line,
): Promise<void> {
  const { host, env, stdout } = context;
  const printing = { program: 'helm', args, flags, host, env, hasHelmDefaults: true } as const;
  stdout.write(await verb.text(answer, printing));
}
