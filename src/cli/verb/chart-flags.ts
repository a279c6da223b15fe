import type { LocatedChart } from '../../downloader/index.ts';
import type { Fields } from '../../protocol/commands/field.ts';
import { JsonTextError, parseJson } from '../../protocol/json.ts';
import { type Sealed, sealedSchema } from '../../protocol/sealed.ts';
import { chartToSend } from '../ctl/chart-to-send.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { readFlagFile } from '../flag-file.ts';
import { readPassword } from '../password-file.ts';
import { customFlag, type Flag, listFlag, switchFlag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import { valueParameters } from '../values.ts';
import { valueFlags, valuesOfFlags } from './value-flags.ts';

/** Whether a command is about a chart, and values for it. */
export function hasChart(fields: Fields): boolean {
  return 'chartName' in fields;
}

/**
 * The flags of `ctl` for a chart and its values that the table of commands does not have, because
 * they do not belong to one field, or read files.
 */
export const chartFlags: readonly Flag[] = [
  switchFlag('on-agent', 'the chart is a path on the agent, below its --local-charts folder'),
  customFlag('file', 'password-file', 'file with the password for the repository'),
  customFlag('secret', 'credentials-from', "Secret in the agent's namespace with the credentials for the repository"),
  customFlag('file', 'sealed-credentials', 'file of "ctl seal" with the credentials for the repository'),
  listFlag('sealed-values', 'file of "ctl seal" with values; may be repeated'),
  ...valueFlags,
];

/** The chart of a command, and the values of its fields that {@link chartFlags} give. */
interface GivenChart {
  values?: Readonly<Record<string, unknown>>;
  /** A chart of this machine. Default: the agent finds the chart. */
  chart?: LocatedChart | undefined;
}

/**
 * Reads the files that the flags name, and finds the chart. Errors about values have Helm's texts.
 */
export async function givenChart(
  name: unknown,
  flags: FlagValues,
  { readFile }: Pick<ProgramDependencies, 'readFile'>,
): Promise<GivenChart> {
  const passwordFile = flags.optionalText('password-file');
  const secret = flags.optionalText('credentials-from');
  const sealedCredentials = flags.optionalText('sealed-credentials');
  const sealedValues = flags.list('sealed-values');
  const readSealed = (path: string, flag: string) => readSealedFile({ readFile }, path, flag);
  const values = {
    ...(passwordFile !== undefined && { repoPassword: await readPassword({ readFile }, passwordFile) }),
    ...(secret !== undefined && { credentialsFrom: { secret } }),
    ...(sealedCredentials !== undefined && {
      sealedCredentials: await readSealed(sealedCredentials, 'sealed-credentials'),
    }),
    ...(sealedValues.length > 0 && {
      sealedValues: await Promise.all(sealedValues.map((path) => readSealed(path, 'sealed-values'))),
    }),
    ...(await valueParameters(valuesOfFlags(flags), (path) => readFile(path))),
  };
  const place = { repo: flags.optionalText('repo'), onAgent: flags.isOn('on-agent') };
  return { values, chart: await chartToSend(typeof name === 'string' ? name : '', place) };
}

/** Reads a file that `ctl seal` has written. `flag` names it, for errors. */
async function readSealedFile(
  files: Pick<ProgramDependencies, 'readFile'>,
  path: string,
  flag: string,
): Promise<Sealed> {
  const bytes = await readFlagFile(files, flag, path);
  try {
    const { data } = sealedSchema.safeParse(parseJson(new TextDecoder().decode(bytes)));
    if (data !== undefined) return data;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
  }
  throw new Error(`--${flag}: ${path} is not a sealed text; write it with ctl seal`);
}
