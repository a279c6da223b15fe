import type { ChartPathOptions } from '../../../downloader/index.ts';
import type { Limits } from '../../limits.ts';
import { limitsDescription, limitsFlag } from '../../limits-flag.ts';
import { readPassword } from '../../password-file.ts';
import { customFlag, type Flag, switchFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { chartPathOfFlags } from '../flags/chart-path-flags.ts';

// These flags are not helm's: the help of `helm template` leaves them out, and the help of
// `helm-agent template` lists them.

type Place = Pick<HelmContext, 'programName'>;

export function nunjucksFlag({ programName }: Place): Flag {
  const usage = 'also render charts that are written for Nunjucks';
  return switchFlag('allow-nunjucks', usage, { isHidden: programName === 'helm' });
}

export function templateLimitsFlag({ programName }: Place): Flag {
  return customFlag('list', limitsFlag, limitsDescription, { isHidden: programName === 'helm' });
}

/** Returns the limits that the flag sets; undefined if it is not given. */
export async function givenLimits(flags: FlagValues): Promise<Limits | undefined> {
  if (!flags.isGiven(limitsFlag)) return undefined;
  const { parseLimits } = await import('../../limits.ts'); // zod takes longer to load than a chart
  return parseLimits(flags.text(limitsFlag));
}

export function passwordFileFlag({ programName }: Place): Flag {
  const usage = 'file with the password for the repository';
  return customFlag('file', 'password-file', usage, { isHidden: programName === 'helm' });
}

/** Returns what the flags for finding a chart set, with the password of the file. */
export async function chartPathWithPassword(flags: FlagValues, context: HelmContext): Promise<ChartPathOptions> {
  const options = chartPathOfFlags(flags);
  if (!flags.isGiven('password-file')) return options;
  return { ...options, password: await readPassword(context, flags.text('password-file')) };
}
