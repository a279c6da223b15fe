import { chartArgument, chartSource } from './chart-fields.ts';
import { defineCommand, releaseKey } from './definition.ts';
import { deployOptions } from './deploy-fields.ts';
import { deployAnswer } from './release-answer.ts';
import { historyOptions, releaseIdentity } from './release-fields.ts';

export const upgradeRelease = defineCommand({
  summary: 'Upgrades a release. Without `values` and `set`, the values of the deployed revision stay.',
  method: 'upgrade',
  fields: { ...releaseIdentity, ...chartSource, ...deployOptions, ...historyOptions },
  answer: deployAnswer,
  plainField: 'release',
  changes: releaseKey,
  right: 'deploy',
  survives: true,
  line: {
    name: 'upgrade',
    short: 'Upgrade a release',
    long: `Upgrade a release to a chart and values.

Without a flag such as --reuse-values, the values of the last revision are kept if no values are
given, and forgotten otherwise.`,
    arguments: [
      { field: 'releaseName', kind: 'release', shown: '[RELEASE]' },
      { ...chartArgument, shown: '[CHART]' },
    ],
    examples: [
      'podinfo podinfo --repo https://stefanprodan.github.io/podinfo --set replicaCount=2 -n demo',
      'web ./web --reuse-values --set image.tag=2',
    ],
  },
});
