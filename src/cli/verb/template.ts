import { templateRelease } from '../../protocol/commands/template-release.ts';
import { showOnly, showOnlyFlag } from '../template/show-only.ts';
import type { Verb } from './verb.ts';

const noEffect = 'leave it out, it does not change the output';

/** The verb of `ctl`. That of helm renders a chart itself; see `helm/charts/template.ts`. */
export const template: Verb<'template_release'> = {
  type: 'template_release',
  definition: templateRelease,
  flags: [showOnlyFlag],
  refusedFlags: {
    '--skip-crds': noEffect,
    '--create-namespace': noEffect,
    '--wait [strategy]': noEffect,
    '--wait-for-jobs': noEffect,
    '--rollback-on-failure': noEffect,
    '--replace': noEffect,
    '--description <text>': noEffect,
    '-l, --labels <labels>': noEffect,
    '--disable-openapi-validation': noEffect,
    '--hide-notes': noEffect,
    '--render-subchart-notes': noEffect,
    '--server-side [mode]': noEffect,
    '--force-conflicts': noEffect,
    '--force-replace': noEffect,
    '--take-ownership': noEffect,
  },
  text({ manifest }, { flags }) {
    const patterns = flags.list('show-only');
    return patterns.length === 0 ? manifest : showOnly(manifest, patterns);
  },
};
