import * as z from 'zod';
import { longText, objectName } from '../bounded.ts';
import { timeoutSchema } from '../duration.ts';
import { chartSource, valuesOnly } from './chart-fields.ts';
import { defineCommand } from './definition.ts';
import { field, without, withSchema } from './field.ts';

const imageError = 'must be the name of an image without a tag, such as ghcr.io/acme/helm-agent';

export const upgradeAgent = defineCommand({
  summary:
    'Upgrades the release of the agent itself, to another chart, image or values. The values of the deployed revision stay under those of the command. The result comes when the new version has proved itself, or when the version before is back.',
  method: 'upgradeAgent',
  fields: {
    ...without(chartSource, 'sealedCredentials'), // it is not for a release
    chartName: withSchema(
      chartSource.chartName,
      chartSource.chartName.schema
        .optional()
        .describe('The chart, as for `upgrade_release`. Default: the chart of the deployed revision'),
    ),
    imageRepository: field(
      z
        .string()
        .max(512)
        .regex(/^[a-zA-Z0-9][a-zA-Z0-9_.:/-]*$/, imageError)
        .optional()
        .describe('Name of the image, for the value `image.repository`. Default: it stays'),
      { name: 'image-repository', kind: 'text', only: 'ctl', help: 'name of the new image (default: it stays)' },
    ),
    imageTag: field(
      z
        .string()
        .max(128)
        .regex(/^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}$/, 'must be the tag of an image')
        .optional()
        .describe('Tag of the image, for the value `image.tag`. Ends a digest. Default: it stays'),
      { name: 'image-tag', kind: 'text', only: 'ctl', help: 'tag of the new image' },
    ),
    imageDigest: field(
      z
        .string()
        .max(71)
        .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hex digits')
        .optional()
        .describe('Digest of the image as `sha256:HEX`, for the value `image.digest`. Default: it stays'),
      { name: 'image-digest', kind: 'text', only: 'ctl', help: 'digest of the new image: sha256:HEX' },
    ),
    ...valuesOnly,
    timeout: field(
      timeoutSchema
        .optional()
        .describe(
          'Time for the new version to prove itself, from the start of the upgrade: a Go duration or a number of seconds; at most `168h`. Default: `2m`',
        ),
      { name: 'timeout', kind: 'duration', initial: '2m0s', help: 'time for the new version to prove itself' },
    ),
    settle: field(
      timeoutSchema
        .optional()
        .describe(
          'Time for which the new version has to lead and to be connected without a break, as `timeout`; at least `20s`. Default: `30s`',
        ),
      {
        name: 'settle',
        kind: 'duration',
        initial: '30s',
        only: 'ctl',
        help: 'time for which the new version has to work without a break',
      },
    ),
  },
  answer: z.object({
    from: z.int().describe('The revision before'),
    revision: z.int().describe('The revision that is deployed'),
    image: longText.describe('The image of the pod that leads'),
    pod: objectName.describe('The pod that leads'),
  }),
  plainField: 'image',
  changes: () => 'upgrade_agent',
  right: 'admin',
  survives: true,
  line: {
    name: 'upgrade-agent',
    short: 'Upgrade the agent itself',
    long: `Upgrade the release of the agent itself to another image, chart or values, and keep the
values that it has.

The version before comes back by itself unless the new one connects to the control plane and works
for the time of --settle. The command ends after that.`,
    arguments: [{ field: 'chartName', kind: 'chart', shown: 'CHART', isOptional: true }],
    examples: ['--image-tag 1.5.0', 'oci://ghcr.io/acme/charts/helm-agent --version 1.5.0'],
  },
});
