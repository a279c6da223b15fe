import { pairsFlag, switchFlag, textFlag, type Flag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { forceFlags, historyMaxFlag, serverSideFlag } from './apply-flags.ts';
import { chartPathFlags } from './chart-path-flags.ts';
import { dryRunFlag } from './dry-run-flag.ts';
import { atomicFlag, develFlag, hideSecretFlag, timeoutFlag, waitForJobsFlag } from './install-flags.ts';
import { outputFlag } from './output-flag.ts';
import { postRendererFlags } from './post-renderer-flags.ts';
import { valueFlags } from './value-flags.ts';
import { waitFlag } from './wait-flag.ts';

/** Returns the flags of `helm upgrade` (pkg/cmd/upgrade.go). */
export function upgradeFlags(context: HelmContext): Flag[] {
  return [
    switchFlag('create-namespace', 'if --install is set, create the release namespace if not present'),
    switchFlag('install', "if a release by this name doesn't already exist, run an install", { shorthand: 'i' }),
    develFlag(),
    hideSecretFlag(),
    ...forceFlags(),
    serverSideFlag(),
    switchFlag('no-hooks', 'disable pre/post upgrade hooks'),
    switchFlag(
      'disable-openapi-validation',
      'if set, the upgrade process will not validate rendered templates against the Kubernetes OpenAPI Schema',
    ),
    switchFlag(
      'skip-crds',
      'if set, no CRDs will be installed when an upgrade is performed with install flag enabled. By default, CRDs are installed if not already present, when an upgrade is performed with install flag enabled',
    ),
    timeoutFlag(),
    switchFlag('reset-values', 'when upgrading, reset the values to the ones built into the chart'),
    switchFlag(
      'reuse-values',
      "when upgrading, reuse the last release's values and merge in any overrides from the command line via --set and -f. If '--reset-values' is specified, this is ignored",
    ),
    switchFlag(
      'reset-then-reuse-values',
      "when upgrading, reset the values to the ones built into the chart, apply the last release's values and merge in any overrides from the command line via --set and -f. If '--reset-values' or '--reuse-values' is specified, this is ignored",
    ),
    waitForJobsFlag(),
    switchFlag(
      'rollback-on-failure',
      'if set, Helm will rollback the upgrade to previous success release upon failure. The --wait flag will be defaulted to "watcher" if --rollback-on-failure is set',
    ),
    atomicFlag(),
    historyMaxFlag(context),
    switchFlag('cleanup-on-fail', 'allow deletion of new resources created in this upgrade when upgrade fails'),
    switchFlag('render-subchart-notes', 'if set, render subchart notes along with the parent'),
    switchFlag('hide-notes', 'if set, do not show notes in upgrade output. Does not affect presence in chart metadata'),
    switchFlag('skip-schema-validation', 'if set, disables JSON schema validation'),
    pairsFlag(
      'labels',
      'Labels that would be added to release metadata. Should be separated by comma. Original release labels will be merged with upgrade labels. You can unset label using null.',
      { shorthand: 'l' },
    ),
    textFlag('description', 'add a custom description'),
    switchFlag('dependency-update', 'update dependencies if they are missing before installing the chart'),
    switchFlag('enable-dns', 'enable DNS lookups when rendering templates'),
    switchFlag(
      'take-ownership',
      'if set, upgrade will ignore the check for helm annotations and take ownership of the existing resources',
    ),
    dryRunFlag(),
    ...chartPathFlags(context),
    ...valueFlags,
    outputFlag,
    ...postRendererFlags(),
    waitFlag(context),
  ];
}
