import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { top as topCommand } from '../../protocol/commands/top.ts';
import { valueOfPlain } from '../../release/plain-value.ts';
import { textOf } from '../ctl/output/format.ts';
import { outputFlag, outputFormat } from '../helm/flags/output-flag.ts';
import { switchFlag } from '../pflag/flag.ts';
import { table } from '../table.ts';
import { oneLine } from '../text.ts';
import type { Verb } from './verb.ts';

type Usage = CommandAnswers['top']['usage'][number];
type Used = Pick<Usage, 'millicores' | 'memoryBytes'>;

// Helm does not have this verb. Its tables are like those of kubectl.

export const top: Verb<'top'> = {
  type: 'top',
  definition: topCommand,
  flags: [
    switchFlag('all-namespaces', 'show the pods of all namespaces', { shorthand: 'A' }),
    switchFlag('containers', 'show the containers of pods'),
    outputFlag,
  ],
  values: (flags, { releaseName }) =>
    releaseName === undefined || flags.isGiven('namespace') ? {} : { namespace: 'default' },
  isOfAll: (flags) => flags.isOn('all-namespaces'),
  notes: ({ missing = [], omitted }) => [
    ...missing.map((reason) => `left out: ${reason}`),
    ...(omitted === undefined ? [] : [`${omitted} more are left out; --max shows more`]),
  ],
  text: ({ usage }, { flags }) =>
    textOf(outputFormat(flags), {
      table: () => usageTable(usage, flags.isOn('containers')),
      data: () => valueOfPlain(usage),
    }),
};

function usageTable(usage: readonly Usage[], hasContainers: boolean): string {
  if (usage.length === 0) return 'There are no metrics of such pods or nodes.\n';
  const isOfNodes = usage.every(({ containers }) => containers === undefined);
  const rows = isOfNodes ? nodeRows(usage) : podRows(usage, hasContainers);
  return `${table(rows.map((row) => row.map(oneLine))).join('\n')}\n`;
}

function nodeRows(nodes: readonly Usage[]): string[][] {
  return [
    ['NAME', 'CPU(cores)', 'CPU(%)', 'MEMORY(bytes)', 'MEMORY(%)'],
    ...nodes.map((node) => [
      node.name,
      coresText(node),
      percentText(node.millicores, node.allocatable?.millicores),
      memoryText(node),
      percentText(node.memoryBytes, node.allocatable?.memoryBytes),
    ]),
  ];
}

function podRows(pods: readonly Usage[], hasContainers: boolean): string[][] {
  const header = ['NAMESPACE', 'POD', ...(hasContainers ? ['NAME'] : []), 'CPU(cores)', 'MEMORY(bytes)'];
  const rows = pods.flatMap((pod) => {
    const { namespace = '', name, containers = [] } = pod;
    if (!hasContainers) return [[namespace, name, coresText(pod), memoryText(pod)]];
    return containers.map((one) => [namespace, name, one.name, coresText(one), memoryText(one)]);
  });
  return [header, ...rows];
}

function coresText({ millicores }: Used): string {
  return millicores === undefined ? '<unknown>' : `${millicores}m`;
}

function memoryText({ memoryBytes }: Used): string {
  return memoryBytes === undefined ? '<unknown>' : `${Math.floor(memoryBytes / 2 ** 20)}Mi`;
}

function percentText(used: number | undefined, all: number | undefined): string {
  if (used === undefined || all === undefined || all === 0) return '<unknown>';
  return `${Math.floor((used / all) * 100)}%`;
}
