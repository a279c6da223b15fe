import * as z from 'zod';
import { maxChartArchiveBytes } from '../limits.ts';
import { chartDigestSchema } from '../streams/chart-stream.ts';

/** Returns the length of bytes in base64. */
function maxBase64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

/** The fields that say where a chart comes from. */
export const chartSource = {
  repoUrl: z.string().optional().describe('URL of an HTTP repository, or an `oci://` URL below which the chart is'),
  repoUserName: z.string().optional().describe('User name for the repository or registry'),
  repoPassword: z.string().optional().describe('Password for the repository or registry'),
  credentialsFrom: z
    .object({ secret: z.string().describe('Name of the Secret') })
    .optional()
    .describe(
      'In place of `repoUserName` and `repoPassword`: `{secret}`, a Secret in the namespace of the agent with the credentials for the repository or registry, so that they stay in the cluster; see operations.md. Default: none',
    ),
  chartName: z
    .string()
    .describe(
      'Name of the chart in the repository. Without `repoUrl`: the `oci://` URL of a chart in a registry, the HTTP URL of a chart archive, or a path below the folder of `--local-charts`',
    ),
  chartVersion: z.string().optional().describe('Version or range of versions. Default: the newest stable version'),
  dependencyUpdate: z
    .boolean()
    .optional()
    .describe(
      'Download the dependencies that are missing in the `charts/` folder of the chart, from their repositories. Default: a missing dependency is an error',
    ),
  chartArchive: z
    .string()
    .max(maxBase64Length(maxChartArchiveBytes))
    .optional()
    .describe(
      'The chart itself: its archive of at most 5 MiB, in base64. `chartName` then only names it. Default: the chart is downloaded',
    ),
  chartDigest: z.string().optional().describe('SHA-256 of the archive, in hex. Default: it is not checked'),
  chartUpload: chartDigestSchema
    .optional()
    .describe(
      'Digest, as `sha256:HEX`, of an archive that was uploaded to the control plane. `chartName` then only names the chart. Default: the chart is downloaded',
    ),
};

const setValue = z.object({
  kind: z.enum(['set', 'set-string', 'set-json', 'set-literal', 'set-file']).describe("Helm's flag without `--`"),
  text: z.string().describe('The argument of the flag, such as `a.b=1,c=x`'),
  files: z
    .record(z.string(), z.string())
    .optional()
    .describe('For `set-file`: the contents of the files, by the path in `text`'),
});

/** The fields that give values. */
export const valuesOnly = {
  values: z
    .union([z.string(), z.array(z.string()).max(1000)])
    .optional()
    .describe('Values: a YAML mapping as text, or a list of them, of which the last one takes precedence'),
  set: z
    .array(setValue)
    .max(10_000)
    .optional()
    .describe(
      'Values set over `values`: a list of `{kind, text}` with the `kind` `set`, `set-string`, `set-json`, `set-literal` or `set-file`. `text` is the argument of the flag of Helm with this name, such as `a.b=1,c=x`; the contents of the files of a `set-file` are in `files`, by the path in `text`. Merged in the order of Helm, so that `set` gives integers',
    ),
};

/** The fields that give values, and say what an upgrade does with those of the revision before. */
export const valuesFields = {
  ...valuesOnly,
  resetValues: z
    .boolean()
    .optional()
    .describe('On an upgrade: use only these values and the defaults of the chart. Default: false'),
  reuseValues: z
    .boolean()
    .optional()
    .describe(
      'On an upgrade: use the values of the deployed revision and the defaults of its chart, under these values. Default: only if no values are given, and with the defaults of the new chart',
    ),
  resetThenReuseValues: z
    .boolean()
    .optional()
    .describe(
      'On an upgrade: use the values of the deployed revision, under these values, and the defaults of the new chart. Default: false',
    ),
};

/** The options of commands that render a chart. */
export const renderOptions = {
  renderSubchartNotes: z.boolean().optional().describe('Add the notes of subcharts. Default: false'),
  skipSchemaValidation: z.boolean().optional().describe('Do not check values by values.schema.json. Default: false'),
  enableDns: z
    .boolean()
    .optional()
    .describe('Let templates resolve host names with `getHostByName`, which is empty otherwise. Default: false'),
};
