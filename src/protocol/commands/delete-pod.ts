import { objectName } from '../bounded.ts';
import { actionAnswer, actionOptions, namespaceField, objectKey, podRights } from './action-fields.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';

export const deletePod = defineCommand({
  summary: 'Deletes a pod, and waits until it is gone and the workload that owns it is ready again.',
  method: 'deletePod',
  fields: { namespace: namespaceField, name: field(objectName.min(1).describe('Name of the pod')), ...actionOptions },
  answer: actionAnswer,
  plainField: 'changes',
  changes: objectKey,
  right: 'act',
  resourceRights: [...podRights, { group: '', resources: ['pods'], verbs: ['delete'] }],
  survives: true,
  line: {
    name: 'delete-pod',
    short: 'Delete a pod',
    arguments: [{ field: 'name', kind: 'name', shown: 'POD', ofKind: ['po', 'pod', 'pods'] }],
    examples: ['web-0 -n shop'],
  },
});
