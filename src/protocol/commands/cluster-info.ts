import * as z from 'zod';
import { answerList, boundedRecord, longText, objectName } from '../bounded.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';
import { missingField } from './object-fields.ts';

const quantities = boundedRecord(longText, longText, 1000);

const node = z.object({
  name: longText,
  ready: z.boolean(),
  unschedulable: z.boolean().optional().describe('True if it is cordoned'),
  roles: answerList(longText),
  version: longText.describe('Version of its kubelet'),
  os: longText.optional(),
  architecture: longText.optional(),
  capacity: quantities.describe('Such as `{"cpu": "4", "memory": "16Gi"}`'),
  allocatable: quantities,
});

const rule = z.object({
  verbs: answerList(longText),
  groups: answerList(longText),
  resources: answerList(longText),
  names: answerList(longText).optional().describe('Names of the only objects for which it is. Default: all'),
});

export const clusterInfo = defineCommand({
  summary: 'Returns the version, nodes, namespaces and kinds of the cluster, and what the agent may do in a namespace.',
  method: 'clusterInfo',
  fields: {
    namespace: field(objectName.default('default').describe('Namespace for which `rights` are')),
  },
  answer: z.object({
    version: longText.describe('Such as `v1.35.0`'),
    nodes: answerList(node).optional().describe('At most 1000'),
    namespaces: answerList(longText).optional().describe('At most 10,000'),
    kinds: answerList(
      z.object({ apiVersion: longText, kind: longText, resource: longText, namespaced: z.boolean() }),
    ).describe('The kinds that the cluster serves'),
    rights: answerList(rule).optional().describe('What the account of the agent may do, by a `SelfSubjectRulesReview`'),
    rightsIncomplete: z.boolean().optional().describe('True if the API server does not know all of its rights'),
    missing: missingField,
  }),
  plainField: 'version',
  changes: () => undefined,
  right: 'read',
  isClusterWide: true,
  survives: false,
  line: {
    name: 'cluster-info',
    short: 'Show the cluster, and what the agent may do in it',
    arguments: [],
    examples: ['', '-n shop -o json'],
  },
});
