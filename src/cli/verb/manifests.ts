import { applyManifests } from '../../protocol/commands/apply-manifests.ts';
import { deleteManifests } from '../../protocol/commands/delete-manifests.ts';
import { differenceText } from '../ctl/output/diff.ts';
import { deployNote, successText } from '../ctl/result-text.ts';
import type { Verb } from './verb.ts';

// Helm does not have these verbs.

export const apply: Verb<'apply_manifests'> = {
  type: 'apply_manifests',
  definition: applyManifests,
  text({ differences, ...answer }, { flags }) {
    if (!flags.isOn('dry-run')) return (deployNote(answer) ?? '') + successText({ ok: true, ...answer });
    return differences?.map(differenceText).join('') || 'Nothing would change.\n';
  },
};

export const deleteSet: Verb<'delete_manifests'> = {
  type: 'delete_manifests',
  definition: deleteManifests,
  text({ info = '' }, { args: [name = ''], flags }) {
    const kept = info === '' ? '' : `${info}\n`;
    return `${kept}${name} ${flags.isOn('dry-run') ? 'would be deleted' : 'deleted'}\n`;
  },
};
