import * as z from 'zod';
import { answerList, longText, objectName } from '../bounded.ts';
import { podRights } from './action-fields.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';
import { labelSelectorField, missingField } from './object-fields.ts';

const used = {
  millicores: z.number().optional().describe('CPU in thousandths of a core'),
  memoryBytes: z.number().optional().describe('Memory of its working set'),
};

const usage = z.object({
  namespace: longText.optional().describe('Of a pod'),
  name: longText,
  ...used,
  allocatable: z.object(used).optional().describe('Of a node: what pods can use of it in all'),
  containers: answerList(z.object({ name: longText, ...used }))
    .optional()
    .describe('Of a pod'),
});

export const top = defineCommand({
  summary: 'Returns the CPU and the memory that pods or nodes use, if the cluster has the metrics API.',
  method: 'top',
  fields: {
    kind: field(
      z.enum(['pods', 'pod', 'po', 'nodes', 'node', 'no']).optional().describe('`pods` or `nodes`. Default: `pods`'),
    ),
    namespace: field(objectName.optional().describe('Namespace of the pods. Default: all namespaces')),
    releaseName: field(objectName.optional().describe('Name of a release in the namespace. Default: all pods'), {
      name: 'release',
      kind: 'text',
      only: 'ctl',
      help: 'only the pods of a release',
    }),
    selector: labelSelectorField,
    sortBy: field(z.enum(['name', 'cpu', 'memory']).optional().describe('`name`, `cpu` or `memory`. Default: `name`'), {
      name: 'sort-by',
      kind: 'choice',
      choices: { name: 'name', cpu: 'cpu', memory: 'memory' },
      initial: 'name',
      only: 'ctl',
      help: 'name, or the largest cpu or memory first',
    }),
    max: field(z.int().positive().max(10_000).optional().describe('Most pods or nodes. Default: 1000'), {
      name: 'max',
      short: 'm',
      kind: 'number',
      default: 1000,
      only: 'ctl',
      help: 'most pods or nodes to show',
    }),
  },
  answer: z.object({
    usage: answerList(usage).describe('What is not known is left out'),
    omitted: z.int().optional().describe('Number of pods or nodes that are left out'),
    missing: missingField,
  }),
  plainField: 'usage',
  changes: () => undefined,
  right: 'read',
  resourceRights: [
    ...podRights,
    { group: 'metrics.k8s.io', resources: ['pods', 'nodes'], verbs: ['get', 'list'] },
    { group: '', resources: ['nodes'], verbs: ['get', 'list'] },
  ],
  survives: false,
  line: {
    name: 'top',
    short: 'Show the CPU and the memory that pods or nodes use',
    arguments: [{ field: 'kind', kind: 'name', shown: '[pods|nodes]', isOptional: true }],
    examples: ['-n shop', '-n shop --release web --containers', 'pods -A --sort-by memory', 'nodes -o json'],
  },
});
