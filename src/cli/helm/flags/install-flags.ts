import { durationFlag, pairsFlag, switchFlag, textFlag, type Flag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { forceFlags } from './apply-flags.ts';
import { chartPathFlags } from './chart-path-flags.ts';
import { valueFlags } from './value-flags.ts';
import { waitFlag } from './wait-flag.ts';

/** Returns the flags that `install` and `template` have in common (pkg/cmd/install.go). */
export function installFlags(context: HelmContext): Flag[] {
  return [
    switchFlag('create-namespace', 'create the release namespace if not present'),
    ...forceFlags(),
    switchFlag('server-side', 'object updates run in the server instead of the client', { initial: true }),
    switchFlag('no-hooks', 'prevent hooks from running during install'),
    switchFlag(
      'replace',
      'reuse the given name, only if that name is a deleted release which remains in the history. This is unsafe in production',
    ),
    timeoutFlag(),
    waitForJobsFlag(),
    switchFlag('generate-name', 'generate the name (and omit the NAME parameter)', { shorthand: 'g' }),
    textFlag('name-template', 'specify template used to name the release'),
    textFlag('description', 'add a custom description'),
    develFlag(),
    switchFlag('dependency-update', 'update dependencies if they are missing before installing the chart'),
    switchFlag(
      'disable-openapi-validation',
      'if set, the installation process will not validate rendered templates against the Kubernetes OpenAPI Schema',
    ),
    switchFlag(
      'rollback-on-failure',
      'if set, Helm will rollback (uninstall) the installation upon failure. The --wait flag will be default to "watcher" if --rollback-on-failure is set',
    ),
    atomicFlag(),
    switchFlag('skip-crds', 'if set, no CRDs will be installed. By default, CRDs are installed if not already present'),
    switchFlag('render-subchart-notes', 'if set, render subchart notes along with the parent'),
    switchFlag('skip-schema-validation', 'if set, disables JSON schema validation'),
    pairsFlag('labels', 'Labels that would be added to release metadata. Should be divided by comma.', {
      shorthand: 'l',
    }),
    switchFlag('enable-dns', 'enable DNS lookups when rendering templates'),
    switchFlag('hide-notes', 'if set, do not show notes in install output. Does not affect presence in chart metadata'),
    switchFlag(
      'take-ownership',
      'if set, install will ignore the check for helm annotations and take ownership of the existing resources',
    ),
    ...valueFlags,
    ...chartPathFlags(context),
    waitFlag(context),
  ];
}

export function timeoutFlag(): Flag {
  return durationFlag('timeout', 'time to wait for any individual Kubernetes operation (like Jobs for hooks)', {
    initial: 300_000_000_000n,
  });
}

export function waitForJobsFlag(): Flag {
  return switchFlag(
    'wait-for-jobs',
    'if set and --wait enabled, will wait until all Jobs have been completed before marking the release as successful. It will wait for as long as --timeout',
  );
}

export function develFlag(): Flag {
  return switchFlag(
    'devel',
    "use development versions, too. Equivalent to version '>0.0.0-0'. If --version is set, this is ignored",
  );
}

export function atomicFlag(): Flag {
  return switchFlag('atomic', 'deprecated', { deprecated: 'use --rollback-on-failure instead' });
}

export function hideSecretFlag(): Flag {
  return switchFlag('hide-secret', 'hide Kubernetes Secrets when also using the --dry-run flag');
}
