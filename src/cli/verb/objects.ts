import { clusterInfo as clusterInfoCommand } from '../../protocol/commands/cluster-info.ts';
import { describeObject } from '../../protocol/commands/describe-object.ts';
import { getObject as getObjectCommand } from '../../protocol/commands/get-object.ts';
import { listEvents } from '../../protocol/commands/list-events.ts';
import { listObjects as listObjectsCommand } from '../../protocol/commands/list-objects.ts';
import { watchObjects } from '../../protocol/commands/watch-objects.ts';
import { valueOfPlain } from '../../release/plain-value.ts';
import { textOf, yamlText } from '../ctl/output/format.ts';
import { clusterTable, describedText, eventTable, objectTable } from '../ctl/output/objects.ts';
import { outputFlag, outputFormat } from '../helm/flags/output-flag.ts';
import { customFlag, switchFlag } from '../pflag/flag.ts';
import type { Printing, Verb } from './verb.ts';

// Helm does not have these verbs.

export const clusterInfo: Verb<'cluster_info'> = {
  type: 'cluster_info',
  definition: clusterInfoCommand,
  flags: [outputFlag],
  notes: missingNotes,
  text: (answer, printing) => printed(answer, printing, () => clusterTable(answer)),
};

/** An object has no table. */
const objectFormats = ['yaml', 'json'];

export const getObject: Verb<'get_object'> = {
  type: 'get_object',
  definition: getObjectCommand,
  flags: [
    customFlag('format', 'output', `format of the output: ${objectFormats.join(', ')}`, {
      shorthand: 'o',
      initial: 'yaml',
      check: requireObjectFormat,
    }),
  ],
  text: ({ object }, printing) => printed(object, printing, () => yamlText(valueOfPlain(object))),
};

/** It sends another command for `--watch`. */
export const listObjects: Verb<'list_objects' | 'watch_objects'> = {
  type: (flags) => (flags.isOn('watch') ? 'watch_objects' : 'list_objects'),
  definition: { ...listObjectsCommand, fields: { ...listObjectsCommand.fields, ...watchObjects.fields } },
  flags: [
    switchFlag('all-namespaces', 'list the objects of all namespaces', { shorthand: 'A' }),
    switchFlag('watch', 'show each change until Ctrl-C; with -o json, each event as a line of JSON', {
      shorthand: 'w',
    }),
    outputFlag,
  ],
  values(flags, { timeout }) {
    const isWatch = flags.isOn('watch');
    if (isWatch && outputFormat(flags) === 'yaml')
      throw new Error('--watch shows lines or, with -o json, lines of JSON');
    if (isWatch && flags.isGiven('continue')) throw new Error('--continue is not for --watch');
    if (!isWatch && timeout !== undefined) throw new Error('--timeout is only for --watch');
    return {};
  },
  isOfAll: (flags) => flags.isOn('all-namespaces'),
  shows(flags) {
    if (!flags.isOn('watch')) return 'nothing';
    return outputFormat(flags) === 'json' ? 'json' : 'changes';
  },
  notes(answer) {
    if (!('objects' in answer) || answer.continue === undefined) return [];
    const { continue: next, remaining } = answer;
    return [`there are ${remaining === undefined ? '' : `${remaining} `}more; continue with --continue ${next}`];
  },
  text(answer, printing) {
    if (!('objects' in answer)) return `${answer.reported} changes\n`;
    return printed(
      answer.objects.map(({ object }) => object),
      printing,
      () => objectTable(answer.objects, printing.host),
    );
  },
};

export const describe: Verb<'describe_object'> = {
  type: 'describe_object',
  definition: describeObject,
  flags: [outputFlag],
  notes: missingNotes,
  text: (answer, printing) => printed(answer, printing, () => describedText(answer, printing.host)),
};

export const events: Verb<'list_events'> = {
  type: 'list_events',
  definition: listEvents,
  flags: [outputFlag],
  notes: (answer) => [
    ...missingNotes(answer),
    ...(answer.omitted === undefined ? [] : [`${answer.omitted} older events are left out; --max shows more`]),
  ],
  text: ({ events: listed }, printing) => printed(listed, printing, () => eventTable(listed, printing.host)),
};

function requireObjectFormat(text: string): string {
  if (objectFormats.includes(text)) return text;
  throw new Error(`must be one of ${objectFormats.join(', ')}`);
}

function printed(data: unknown, { flags }: Printing, table: () => string): string {
  return textOf(outputFormat(flags), { table, data: () => valueOfPlain(data) });
}

function missingNotes({ missing = [] }: { missing?: readonly string[] | undefined }): string[] {
  return missing.map((reason) => `left out: ${reason}`);
}
