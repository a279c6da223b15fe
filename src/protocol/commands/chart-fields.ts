import * as z from 'zod';
import { boundedRecord, line, longText, objectName, url } from '../bounded.ts';
import { maxChartArchiveBytes } from '../limits.ts';
import { sealedSchema } from '../sealed.ts';
import { chartDigestSchema } from '../streams/chart-stream.ts';
import { field } from './field.ts';
import { renderFlags } from './render-flags.ts';

function maxBase64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

/** It has the metadata of the chart, in characters. */
const maxProvenanceLength = 256 * 1024;

/** The argument of commands with a chart. */
export const chartArgument = { field: 'chartName', kind: 'chart', shown: 'CHART' } as const;

/** The fields that say where a chart comes from. */
export const chartSource = {
  repoUrl: field(url.optional().describe('URL of an HTTP repository, or an `oci://` URL below which the chart is'), {
    name: 'repo',
    kind: 'text',
    only: 'ctl',
    help: "URL of the chart's HTTP repository; without it, the chart is a URL, or a path",
  }),
  repoUserName: field(line.optional().describe('User name for the repository or registry'), {
    name: 'username',
    kind: 'text',
    only: 'ctl',
    help: 'user name for the repository',
  }),
  repoPassword: field(line.optional().describe('Password for the repository or registry')),
  credentialsFrom: field(
    z
      .object({ secret: objectName.describe('Name of the Secret') })
      .optional()
      .describe(
        'In place of `repoUserName` and `repoPassword`: `{secret}`, a Secret in the namespace of the agent with the credentials for the repository or registry, so that they stay in the cluster; see operations.md. Default: none',
      ),
  ),
  sealedCredentials: field(
    sealedSchema
      .optional()
      .describe(
        'In place of `repoUserName` and `repoPassword`: credentials for the repository or registry that only the agent can read, from `ctl seal`. Default: none',
      ),
  ),
  chartName: field(
    url.describe(
      'Name of the chart in the repository. Without `repoUrl`: the `oci://` URL of a chart in a registry, the HTTP URL of a chart archive, or a path below the folder of `--local-charts`',
    ),
  ),
  chartVersion: field(
    z.string().max(512).optional().describe('Version or range of versions. Default: the newest stable version'),
    {
      name: 'devel',
      kind: 'switch',
      value: '>0.0.0-0',
      only: 'ctl',
      help: "include pre-releases; same as --version '>0.0.0-0'",
    },
    {
      name: 'version',
      kind: 'text',
      only: 'ctl',
      help: 'version of the chart, or a range of versions (default: the newest)',
    },
  ),
  dependencyUpdate: field(
    z
      .boolean()
      .optional()
      .describe(
        'Download the dependencies that are missing in the `charts/` folder of the chart, from their repositories. Default: a missing dependency is an error',
      ),
    renderFlags.dependencyUpdate,
  ),
  chartArchive: field(
    z
      .string()
      .max(maxBase64Length(maxChartArchiveBytes))
      .optional()
      .describe(
        'The chart itself: its archive of at most 5 MiB, in base64. `chartName` then only names it. Default: the chart is downloaded',
      ),
  ),
  chartDigest: field(
    z
      .string()
      .max(71)
      .regex(/^(?:sha256:)?[0-9a-fA-F]{64}$/, 'must be a SHA-256: 64 hex digits, with or without sha256: before them')
      .optional()
      .describe(
        "SHA-256 of the chart's archive, in hex or as `sha256:HEX`, wherever the archive comes from. Of a chart in a registry it is the digest of the chart layer; that of the manifest belongs into the URL, as `oci://…@sha256:HEX`. It covers the dependencies in the archive, not what `dependencyUpdate` downloads. A folder is refused. Default: it is not checked",
      ),
  ),
  verify: field(
    z
      .enum(['always', 'if-present', 'never'])
      .optional()
      .describe(
        'Whether the agent verifies the signature of the chart, by the `chartKeys` of its policy: a provenance file, or a signature of cosign in a registry. `if-present` refuses only what is signed wrongly. A rule of the policy can require more. Default: never',
      ),
    {
      name: 'verify',
      kind: 'choice',
      choices: { always: 'always', 'if-present': 'if-present', never: 'never' },
      bare: 'always',
      initial: 'never',
      only: 'ctl',
      help: 'whether the agent verifies the signature of the chart, by the keys in its policy',
    },
  ),
  chartProvenance: field(
    z
      .string()
      .max(maxProvenanceLength)
      .optional()
      .describe('The provenance file of the archive in `chartArchive` or `chartUpload`, as text. Default: none'),
  ),
  chartUpload: field(
    chartDigestSchema
      .optional()
      .describe(
        'Digest, as `sha256:HEX`, of an archive that was uploaded to the control plane. `chartName` then only names the chart. Default: the chart is downloaded',
      ),
  ),
};

const setValue = z.object({
  kind: z.enum(['set', 'set-string', 'set-json', 'set-literal', 'set-file']).describe("Helm's flag without `--`"),
  text: longText.describe('The argument of the flag, such as `a.b=1,c=x`'),
  files: boundedRecord(z.string().max(4096), longText, 1000)
    .optional()
    .describe('For `set-file`: the contents of the files, by the path in `text`'),
});

/** The fields that give values. */
export const valuesOnly = {
  values: field(
    z
      .union([longText, z.array(longText).max(1000)])
      .optional()
      .describe('Values: a YAML mapping as text, or a list of them, of which the last one takes precedence'),
  ),
  set: field(
    z
      .array(setValue)
      .max(10_000)
      .optional()
      .describe(
        'Values set over `values`: a list of `{kind, text}` with the `kind` `set`, `set-string`, `set-json`, `set-literal` or `set-file`. `text` is the argument of the flag of Helm with this name, such as `a.b=1,c=x`; the contents of the files of a `set-file` are in `files`, by the path in `text`. Merged in the order of Helm, so that `set` gives integers',
      ),
  ),
};

const valuesReference = z.object({
  kind: z.enum(['Secret', 'ConfigMap']).describe('Kind of the object'),
  name: objectName.min(1).describe('Name of the object, in the namespace of the release'),
  key: z.string().min(1).max(253).optional().describe('Key of its data. Default: `values.yaml`'),
  targetPath: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^(?:[^=,{}\\\s]|\\\S)+$/, 'must be the path of a value, such as db.password')
    .optional()
    .describe(
      'Path of one value, such as `db.password`, that the text gives: of the type that `--set` gives to it, and a string if it is in quotes. Default: the text is a YAML mapping',
    ),
  optional: z.boolean().optional().describe('Continue without the object if it does not exist. Default: false'),
});

/** The fields that name values in the cluster. */
export const valueReferences = {
  valuesFrom: field(
    z
      .array(valuesReference)
      .max(50)
      .optional()
      .describe(
        'Values from Secrets and ConfigMaps of the namespace of the release, under `values`: a list of `{kind, name, key, targetPath, optional}`, of which the last one takes precedence. What comes from a Secret is masked in results; see operations.md. Default: none',
      ),
    {
      name: 'values-from',
      kind: 'values-from',
      help: 'values from secret/NAME or configmap/NAME of the release namespace, with ,key=KEY ,path=PATH ,optional; may be repeated',
    },
  ),
};

/** The fields with values that the control plane cannot read. */
export const sealedValueFields = {
  sealedValues: field(
    z
      .array(sealedSchema)
      .max(50)
      .optional()
      .describe(
        'Values that only the agent can read, from `ctl seal`: YAML mappings over `valuesFrom` and under `values`, of which the last one takes precedence. Masked in results; see operations.md. Default: none',
      ),
  ),
};

/** The fields that give values, and say what an upgrade does with those of the revision before. */
export const valuesFields = {
  ...valuesOnly,
  ...valueReferences,
  ...sealedValueFields,
  resetValues: field(
    z
      .boolean()
      .optional()
      .describe('On an upgrade: use only these values and the defaults of the chart. Default: false'),
    { name: 'reset-values', kind: 'switch', help: 'use only the values that are given, and the defaults of the chart' },
  ),
  reuseValues: field(
    z
      .boolean()
      .optional()
      .describe(
        'On an upgrade: use the values of the deployed revision and the defaults of its chart, under these values. Default: only if no values are given, and with the defaults of the new chart',
      ),
    {
      name: 'reuse-values',
      kind: 'switch',
      help: "use the last release's values and defaults, under the values that are given",
    },
  ),
  resetThenReuseValues: field(
    z
      .boolean()
      .optional()
      .describe(
        'On an upgrade: use the values of the deployed revision, under these values, and the defaults of the new chart. Default: false',
      ),
    {
      name: 'reset-then-reuse-values',
      kind: 'switch',
      help: "use the last release's values under those that are given, with new defaults",
    },
  ),
};

/** The options of commands that render a chart. */
export const renderOptions = {
  renderSubchartNotes: field(z.boolean().optional().describe('Add the notes of subcharts. Default: false'), {
    name: 'render-subchart-notes',
    kind: 'switch',
    help: 'add the notes of subcharts',
  }),
  skipSchemaValidation: field(
    z.boolean().optional().describe('Do not check values by values.schema.json. Default: false'),
    renderFlags.skipSchemaValidation,
  ),
  enableDns: field(
    z
      .boolean()
      .optional()
      .describe('Let templates resolve host names with `getHostByName`, which is empty otherwise. Default: false'),
    renderFlags.enableDns,
  ),
};
