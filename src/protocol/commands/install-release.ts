import * as z from 'zod';
import { chartArgument, chartSource } from './chart-fields.ts';
import { defineCommand, releaseKey } from './definition.ts';
import { deployOptions } from './deploy-fields.ts';
import { field, onlyOf, withFlags } from './field.ts';
import { deployAnswer } from './release-answer.ts';
import { historyOptions, releaseIdentity } from './release-fields.ts';

const { serverSide, resetValues, reuseValues, resetThenReuseValues } = deployOptions;

export const installRelease = defineCommand({
  summary: 'Installs a chart as a new release.',
  method: 'install',
  fields: {
    ...releaseIdentity,
    ...chartSource,
    ...deployOptions,
    serverSide: withFlags(
      onlyOf('ctl', { serverSide }).serverSide,
      // of the installation in helm, which has no revision before
      {
        name: 'server-side',
        kind: 'switch',
        value: true,
        otherwise: false,
        initial: true,
        only: 'helm',
        help: 'apply objects server-side, or client-side',
      },
    ),
    ...onlyOf('ctl', { resetValues, reuseValues, resetThenReuseValues }),
    ...onlyOf('ctl', historyOptions),
    replace: field(
      z
        .boolean()
        .optional()
        .describe('Install over a release that failed, or was uninstalled with its history kept. Default: false'),
      {
        name: 'replace',
        kind: 'switch',
        help: 'use the name of a release that failed, or was uninstalled with its history kept',
      },
    ),
    upgrade: field(z.boolean().optional().describe('Upgrade the release if it exists. Default: false'), {
      name: 'upgrade',
      kind: 'switch',
      only: 'ctl',
      help: 'upgrade the release if it exists',
    }),
  },
  answer: deployAnswer,
  plainField: 'release',
  changes: releaseKey,
  right: 'deploy',
  survives: true,
  line: {
    name: 'install',
    short: 'Install a chart as a new release',
    arguments: [
      { field: 'releaseName', kind: 'name', shown: '[NAME]', isOptional: true },
      { ...chartArgument, shown: '[CHART]' },
    ],
    long: `Install a chart as a new release.

The chart is a folder or an archive of this machine, an https:// or oci:// URL, or with --repo the
name of a chart. --set and similar flags override the files of --values; of several, the last one
wins. Without a name, the first argument is the chart.`,
    examples: [
      'podinfo podinfo --repo https://stefanprodan.github.io/podinfo --version ^6 -n demo',
      'hello web -f values.yaml --set replicas=2 --timeout 10m',
    ],
  },
});
