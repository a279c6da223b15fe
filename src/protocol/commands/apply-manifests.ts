import * as z from 'zod';
import { maxManifestsLength } from '../limits.ts';
import { defineCommand, releaseKey } from './definition.ts';
import { deployOptions, ifBusyField } from './deploy-fields.ts';
import { field } from './field.ts';
import { deployAnswer } from './release-answer.ts';
import { historyOptions, recoverOptions } from './release-fields.ts';
import { setArgument, setIdentity } from './set-fields.ts';
import { waitOptions } from './wait-fields.ts';

const { atomic, forceConflicts, recreate, takeOwnership, unchanged, noHooks } = deployOptions;
const { createNamespace, storage, description } = deployOptions;

export const applyManifests = defineCommand({
  summary: 'Applies plain manifests as a named set, and deletes the objects of the set that they no longer have.',
  method: 'applyManifests',
  fields: {
    ...setIdentity,
    manifests: field(
      z.string().min(1).max(maxManifestsLength).describe('The manifests, as YAML documents or JSON, at most 5 MiB'),
    ),
    ifBusy: ifBusyField,
    ...waitOptions,
    atomic,
    prune: field(
      z
        .boolean()
        .optional()
        .describe(
          'Delete the objects that the set had and the manifests no longer have, except those with the annotation `helm.sh/resource-policy: keep`. If false, they stay in the cluster and leave the set. Default: true',
        ),
      { name: 'prune', kind: 'toggle', help: 'delete the objects that the manifests no longer have' },
    ),
    forceConflicts,
    recreate,
    takeOwnership,
    unchanged,
    ...recoverOptions,
    noHooks,
    dryRun: field(
      z.boolean().optional().describe('Return what the API server would change, and change nothing. Default: false'),
      { name: 'dry-run', kind: 'switch', help: 'show what the API server would change, and change nothing' },
    ),
    createNamespace,
    storage,
    description,
    ...historyOptions,
  },
  answer: deployAnswer,
  plainField: 'release',
  changes: releaseKey,
  right: 'deploy',
  survives: true,
  line: {
    name: 'apply',
    short: 'Apply manifests as a set',
    long: `Apply manifests as a set.

The set is a release: history, status, rollback and get work with its name. Objects that an earlier
apply had and the manifests no longer have are deleted.`,
    arguments: [setArgument],
    examples: ['shop -f shop.yaml -n shop', 'shop -f manifests/ -n shop --dry-run', 'shop -f - -n shop'],
  },
});
