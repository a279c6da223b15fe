import { checkReleaseName } from '../../operation/steps/names.ts';
import { switchFlag, textFlag } from '../pflag/flag.ts';
import type { VerbLine } from './verb.ts';

/** The flags for the name of a new release. */
export const nameFlags = [
  switchFlag('generate-name', 'generate the name', { shorthand: 'g' }),
  textFlag('name-template', 'Go template for the name'),
];

/** Refuses an invalid name before a command is sent, with the text of `helm install`. */
export function requireNewReleaseName(name: string): void {
  checkReleaseName(name, (problem) => `release name check failed: release name ${JSON.stringify(name)}: ${problem}`);
}

/** Refuses an invalid name before a command is sent, with the text of `helm upgrade`. */
export function requireReleaseName(name: string): void {
  checkReleaseName(name, () => `release name is invalid: ${name}`);
}

/**
 * Returns the release and the chart that arguments and flags of `install` name
 * (pkg/action/install.go: NameAndChart). Errors have Helm's texts.
 */
export async function releaseAndChart({
  args,
  flags,
  host,
  env,
}: Omit<VerbLine, 'program' | 'hasHelmDefaults'>): Promise<{ releaseName: string; chartName: string }> {
  const [first = '', chart, ...more] = args;
  const nameTemplate = flags.text('name-template');
  if (more.length > 0) throw new Error(`expected at most two arguments, unexpected arguments: ${more.join(', ')}`);
  if (chart !== undefined) {
    if (flags.isOn('generate-name')) throw new Error('cannot set --generate-name and also specify a name');
    if (nameTemplate !== '') throw new Error('cannot set --name-template and also specify a name');
    return { releaseName: first, chartName: chart };
  }
  if (nameTemplate !== '') {
    const { nameFromTemplate } = await import('../template/release-name.ts'); // few names need all functions
    return { releaseName: nameFromTemplate(nameTemplate, { host, env }), chartName: first };
  }
  if (!flags.isOn('generate-name')) throw new Error('must either provide a name or specify --generate-name');
  const file =
    first
      .replace(/(?<!\/)\/+$/, '')
      .split('/')
      .at(-1) ?? '';
  const base = (file === '' || file === '.' ? 'chart' : file).replace(/\..*$/s, '');
  return { releaseName: `${base}-${host.now() / 1_000_000_000n}`, chartName: first };
}
