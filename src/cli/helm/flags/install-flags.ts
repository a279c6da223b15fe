import { durationFlag, pairsFlag, switchFlag, textFlag, type Flag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { forceFlags } from './apply-flags.ts';
import { chartPathFlags } from './chart-path-flags.ts';
import { valueFlags } from '../../verb/value-flags.ts';
import { waitFlag } from './wait-flag.ts';

/** Returns the flags that `install` and `template` have in common (pkg/cmd/install.go). */
export function installFlags(context: HelmContext): Flag[] {
  return [
    switchFlag('create-namespace', 'create the namespace if it does not exist'),
    ...forceFlags(),
    switchFlag('server-side', 'apply objects server-side', { initial: true }),
    switchFlag('no-hooks', 'do not run hooks'),
    switchFlag('replace', 'use the name of a release that failed, or was uninstalled with its history kept'),
    timeoutFlag(),
    waitForJobsFlag(),
    switchFlag('generate-name', 'generate the name', { shorthand: 'g' }),
    textFlag('name-template', 'Go template for the name'),
    textFlag('description', 'description of the revision'),
    develFlag(),
    switchFlag('dependency-update', 'download the dependencies that charts/ does not contain'),
    switchFlag('disable-openapi-validation', 'no effect: only the API server checks the fields of objects'),
    switchFlag('rollback-on-failure', 'undo a failed operation; waits as with --wait'),
    atomicFlag(),
    switchFlag('skip-crds', 'leave the CRDs of the chart'),
    switchFlag('render-subchart-notes', 'add the notes of subcharts'),
    switchFlag('skip-schema-validation', 'do not check the values against values.schema.json'),
    pairsFlag('labels', 'labels for the stored revision: a=1,b=2', {
      shorthand: 'l',
    }),
    switchFlag('enable-dns', 'let templates resolve host names'),
    switchFlag('hide-notes', 'do not print the notes'),
    switchFlag('take-ownership', 'take over existing objects that do not belong to the release'),
    ...valueFlags,
    ...chartPathFlags(context),
    waitFlag(context),
  ];
}

export function timeoutFlag(): Flag {
  return durationFlag('timeout', 'time limit of each hook and of waiting', {
    initial: 300_000_000_000n,
  });
}

export function waitForJobsFlag(): Flag {
  return switchFlag('wait-for-jobs', 'with --wait: also wait until Jobs have completed');
}

export function develFlag(): Flag {
  return switchFlag('devel', "include pre-releases; the same as --version '>0.0.0-0'");
}

export function atomicFlag(): Flag {
  return switchFlag('atomic', 'deprecated', { deprecated: 'use --rollback-on-failure instead' });
}

export function hideSecretFlag(): Flag {
  return switchFlag('hide-secret', 'with --dry-run: leave Secrets out');
}
