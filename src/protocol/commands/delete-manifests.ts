import { defineCommand, releaseKey } from './definition.ts';
import { without } from './field.ts';
import { setArgument, setIdentity } from './set-fields.ts';
import { uninstallRelease } from './uninstall-release.ts';

export const deleteManifests = defineCommand({
  summary: 'Deletes the objects of a set of manifests, and the set. It does not touch releases of charts.',
  method: 'deleteManifests',
  fields: { ...setIdentity, ...without(uninstallRelease.fields, 'releaseName', 'namespace') },
  answer: uninstallRelease.answer,
  plainField: 'release',
  changes: releaseKey,
  right: 'deploy',
  survives: true,
  line: {
    name: 'delete-manifests',
    short: 'Delete sets of manifests',
    arguments: [setArgument],
    repeats: true,
    examples: ['shop -n shop', 'shop -n shop --dry-run'],
  },
});
