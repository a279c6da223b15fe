import type { ProgramDependencies } from '../dependencies.ts';
import { checkReleaseName } from '../../operation/steps/names.ts';
import { nameFromTemplate } from '../template/release-name.ts';

export interface NameFlags {
  generateName?: boolean;
  nameTemplate?: string;
}

/** Refuses an invalid name before a command is sent, with the text of `helm install`. */
export function requireNewReleaseName(name: string): void {
  checkReleaseName(name, (problem) => `release name check failed: release name ${JSON.stringify(name)}: ${problem}`);
}

/** Refuses an invalid name before a command is sent, with the text of `helm upgrade`. */
export function requireReleaseName(name: string): void {
  checkReleaseName(name, () => `release name is invalid: ${name}`);
}

/**
 * Returns the name of the release and the chart that arguments and flags of `install` say
 * (pkg/action/install.go: NameAndChart). Errors have Helm's texts.
 */
export function nameAndChart(
  [first = '', chart]: readonly string[],
  { generateName = false, nameTemplate = '' }: NameFlags,
  { host, env }: Pick<ProgramDependencies, 'host' | 'env'>,
): { releaseName: string; chartName: string } {
  if (chart !== undefined) {
    if (generateName) throw new Error('cannot set --generate-name and also specify a name');
    if (nameTemplate !== '') throw new Error('cannot set --name-template and also specify a name');
    return { releaseName: first, chartName: chart };
  }
  if (nameTemplate !== '') return { releaseName: nameFromTemplate(nameTemplate, { host, env }), chartName: first };
  if (!generateName) throw new Error('must either provide a name or specify --generate-name');
  const file =
    first
      .replace(/(?<!\/)\/+$/, '')
      .split('/')
      .at(-1) ?? '';
  const base = (file === '' || file === '.' ? 'chart' : file).replace(/\..*$/s, '');
  return { releaseName: `${base}-${host.now() / 1_000_000_000n}`, chartName: first };
}
