import type { FlagValues } from '../../pflag/flag-values.ts';
import { integerFlag, switchFlag, textFlag, type Flag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';

/** Returns the flags for how objects are applied. */
export function forceFlags(): Flag[] {
  return [
    switchFlag('force-replace', 'replace existing objects instead of changing fields; needs --server-side=false'),
    switchFlag('force', 'deprecated', { deprecated: 'use --force-replace instead' }),
    switchFlag('force-conflicts', 'take over fields that other managers own with other values'),
  ];
}

/** Groups of these flags of which only one may be given. */
export const exclusiveForceFlags = [
  ['force-replace', 'force-conflicts'],
  ['force', 'force-conflicts'],
];

/** Returns the flag `--server-side` of the commands that change a release. */
export function serverSideFlag(): Flag {
  return textFlag(
    'server-side',
    'true, false or auto: apply server-side, or client-side; auto does what the revision before did',
    { initial: 'auto' },
  );
}

/** Returns the parameters that the flags set. */
export function forceParameters(flags: FlagValues) {
  return {
    ...((flags.isOn('force-replace') || flags.isOn('force')) && { forceReplace: true }),
    ...(flags.isOn('force-conflicts') && { forceConflicts: true }),
  };
}

/** Returns the mode that the flag of an upgrade or a rollback says. Errors have Helm's text. */
export function serverSideMode(flags: FlagValues): boolean | 'auto' {
  const mode = flags.text('server-side');
  switch (mode) {
    case 'auto':
      return mode;
    case 'true':
      return true;
    case 'false':
      return false;
    default:
      throw new Error(`invalid/unknown release server-side apply method: ${mode}`);
  }
}

/** Returns the flag for the number of revisions to keep. */
export function historyMaxFlag({ settings }: Pick<HelmContext, 'settings'>): Flag {
  return integerFlag('history-max', 'number of revisions to keep; 0 for all', {
    initial: settings.maxHistory,
  });
}
