import { pairsFlag, switchFlag, textFlag, type Flag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { forceFlags, historyMaxFlag, serverSideFlag } from './apply-flags.ts';
import { chartPathFlags, credentialsFromFlag } from './chart-path-flags.ts';
import { dryRunFlag } from './dry-run-flag.ts';
import { atomicFlag, develFlag, hideSecretFlag, timeoutFlag, waitForJobsFlag } from './install-flags.ts';
import { outputFlag } from './output-flag.ts';
import { postRendererFlags } from './post-renderer-flags.ts';
import { valueFlags } from '../../verb/value-flags.ts';
import { waitFlag } from './wait-flag.ts';

/** Returns the flags of `helm upgrade` (pkg/cmd/upgrade.go). */
export function upgradeFlags(context: HelmContext): Flag[] {
  return [
    switchFlag('create-namespace', 'with --install: create the namespace if it does not exist'),
    switchFlag('install', 'install the release if it does not exist', { shorthand: 'i' }),
    develFlag(),
    hideSecretFlag(),
    ...forceFlags(),
    serverSideFlag(),
    switchFlag('no-hooks', 'do not run hooks'),
    switchFlag('disable-openapi-validation', 'no effect: only the API server checks the fields of objects'),
    switchFlag('skip-crds', 'with --install: leave the CRDs of the chart'),
    timeoutFlag(),
    switchFlag('reset-values', 'use only the values that are given, and the defaults of the chart'),
    switchFlag('reuse-values', "use the last release's values and defaults, under the values that are given"),
    switchFlag(
      'reset-then-reuse-values',
      "use the last release's values under those that are given, with new defaults",
    ),
    waitForJobsFlag(),
    switchFlag('rollback-on-failure', 'undo a failed operation; waits as with --wait'),
    atomicFlag(),
    historyMaxFlag(context),
    switchFlag('cleanup-on-fail', 'delete the objects that a failed upgrade has created'),
    switchFlag('render-subchart-notes', 'add the notes of subcharts'),
    switchFlag('hide-notes', 'do not print the notes'),
    switchFlag('skip-schema-validation', 'do not check the values against values.schema.json'),
    pairsFlag('labels', 'labels for the stored revision: a=1,b=2; a=null removes one of the last revision', {
      shorthand: 'l',
    }),
    textFlag('description', 'description of the revision'),
    switchFlag('dependency-update', 'download the dependencies that charts/ does not contain'),
    switchFlag('enable-dns', 'let templates resolve host names'),
    switchFlag('take-ownership', 'take over existing objects that do not belong to the release'),
    dryRunFlag(),
    ...chartPathFlags(context),
    credentialsFromFlag,
    ...valueFlags,
    outputFlag,
    ...postRendererFlags(),
    waitFlag(context),
  ];
}
