import { parseDuration } from '../../go/duration.ts';
import type { FieldFlag, Fields } from '../../protocol/commands/field.ts';
import { dryRunFlag } from '../helm/flags/dry-run-flag.ts';
import { waitFlag } from '../helm/flags/wait-flag.ts';
import type { HelmLog } from '../helm-log.ts';
import {
  commaListFlag,
  customFlag,
  durationFlag,
  type Flag,
  integerFlag,
  listFlag,
  pairsFlag,
  switchFlag,
  textFlag,
} from '../pflag/flag.ts';

/** The program whose command line is read, and what its flags need. */
export type CommandLineOf =
  | { program: 'ctl' }
  | {
      program: 'helm';
      log: HelmLog;
      /** Number of revisions to keep by default. */
      maxHistory: number;
    };

/** Returns the flags that a program has for fields. */
export function fieldFlags(fields: Fields, line: CommandLineOf): Flag[] {
  return Object.values(fields).flatMap(({ flags }) =>
    flags.filter((flag) => isIn(flag, line)).flatMap((flag) => flagsOf(flag, line)),
  );
}

/** Returns the groups of flags of which only one may be given. */
export function exclusiveFlagsOf(fields: Fields): string[][] {
  return Object.values(fields).flatMap(({ flags }) =>
    flags.flatMap(({ name, excludes }) => (excludes === undefined ? [] : [[name, excludes]])),
  );
}

/** Whether a program has a flag. */
export function isIn({ only }: FieldFlag, { program }: CommandLineOf): boolean {
  return only === undefined || only === program;
}

function flagsOf(flag: FieldFlag, line: CommandLineOf): Flag[] {
  const { name, help, short, deprecated } = flag;
  const isHelm = line.program === 'helm';
  const details = {
    ...(short !== undefined && { shorthand: short }),
    ...(isHelm && deprecated !== undefined && { deprecated }),
  };
  switch (flag.kind) {
    case 'switch':
      return [switchFlag(name, help, { ...details, ...(flag.initial && { initial: true }) })];
    case 'part':
      return [switchFlag(name, help, details)];
    case 'toggle':
      if (isHelm) return [switchFlag(name, help, details)];
      return [switchFlag(name, `${help} (default)`, details), switchFlag(`no-${name}`, `the opposite of --${name}`)];
    case 'text':
      return [textFlag(name, help, details)];
    case 'number':
      return [integerFlag(name, help, { ...details, initial: flag.default ?? 0 })];
    case 'limit':
      return [integerFlag(name, help, { ...details, initial: isHelm ? line.maxHistory : 10 })];
    case 'duration':
      return [durationFlagOf(flag, line)];
    case 'choice':
      return [
        textFlag(name, help, {
          ...details,
          ...(flag.initial !== undefined && { initial: flag.initial }),
          ...(!isHelm && flag.bare !== undefined && { withoutValue: flag.bare }),
        }),
      ];
    case 'pairs':
      return [pairsFlag(name, help, details)];
    case 'wait':
      if (isHelm) return [waitFlag(line)];
      return [
        customFlag('strategy', name, help, { withoutValue: 'watcher' }),
        switchFlag(`no-${name}`, 'do not wait, except for hooks'),
      ];
    case 'dry-run':
      return [isHelm ? dryRunFlag() : customFlag('mode', name, help, { withoutValue: 'client' })];
    case 'fail-fast':
      return [customFlag('level', name, help)];
    case 'step-timeouts':
      return [{ ...commaListFlag(name, help), type: 'step=duration' }];
    case 'values-from':
      // helm's help has no flag like it
      return [{ ...listFlag(name, help, isHelm ? { isHidden: true } : {}), type: 'object' }];
  }
}

/** `ctl` reads a duration itself, because its errors say what to write. */
function durationFlagOf({ name, help, initial }: Extract<FieldFlag, { kind: 'duration' }>, line: CommandLineOf): Flag {
  if (line.program === 'helm') return durationFlag(name, help, { initial: parseDuration(initial ?? '0') });
  return customFlag('duration', name, help, { ...(initial !== undefined && { initial }) });
}
