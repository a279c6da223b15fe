import { deployDefaults } from '../../helm-default-options.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import { valueParameters } from '../../values.ts';
import type { HelmContext } from '../context.ts';
import { forceParameters } from '../flags/apply-flags.ts';
import { valuesOfFlags } from '../../verb/value-flags.ts';
import { waitStrategy } from '../flags/wait-flag.ts';

/** Helm's time limit for a timeout of 0 (pkg/kube/statuswait.go). */
const timeoutForZero = 30_000_000_000n;
/** The longest time limit of an operation. */
const maxTimeout = 168n * 3_600_000_000_000n;

/** Returns the time limit of an operation, in milliseconds. */
export function timeoutParameter(flags: FlagValues): number {
  const given = flags.duration('timeout');
  const timeout = given <= 0n ? timeoutForZero : given > maxTimeout ? maxTimeout : given;
  return Number(timeout) / 1e6;
}

/** Returns the parameters that install and upgrade have in common, with Helm's defaults. */
export async function deployParameters(flags: FlagValues, context: HelmContext) {
  return {
    ...deployDefaults,
    namespace: await context.namespace(),
    timeout: timeoutParameter(flags),
    wait: waitStrategy(flags.text('wait')),
    waitForJobs: flags.isOn('wait-for-jobs'),
    atomic: flags.isOn('rollback-on-failure') || flags.isOn('atomic'),
    createNamespace: flags.isOn('create-namespace'),
    description: flags.optionalText('description'),
    ...(flags.pairs('labels').size > 0 && { labels: Object.fromEntries(flags.pairs('labels')) }),
    ...(flags.isOn('skip-crds') && { crds: 'skip' as const }),
    ...forceParameters(flags),
    takeOwnership: flags.isOn('take-ownership'),
    noHooks: flags.isOn('no-hooks'),
    hideSecret: flags.isOn('hide-secret'),
    renderSubchartNotes: flags.isOn('render-subchart-notes'),
    skipSchemaValidation: flags.isOn('skip-schema-validation'),
    // for a chart that an agent downloads
    ...(context.agent !== undefined && flags.isOn('dependency-update') && { dependencyUpdate: true }),
    enableDns: flags.isOn('enable-dns'),
    disableOpenapiValidation: flags.isOn('disable-openapi-validation'),
    ...(await valueParameters(valuesOfFlags(flags), (path) => context.readFile(path))),
  };
}
