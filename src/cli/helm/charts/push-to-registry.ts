import { pushChart, type PushedChart } from '../../../source/oci/push-chart.ts';
import { withoutTrailingSlashes } from '../../../source/http/http-url.ts';
import type { HelmContext } from '../context.ts';
import { connect } from '../download/connect.ts';
import { credentialsFor } from '../download/download-chart.ts';
import type { ConnectionOptions } from '../flags/connection-flags.ts';
import { parseReference } from '../../../source/oci/reference.ts';

const underscores = `
OCI artifact references (e.g. tags) do not support the plus sign (+). To support
storing semantic versions, Helm adopts the convention of changing plus (+) to
an underscore (_) in chart version tags when pushing to a registry and back to
a plus (+) when pulling from a registry.
`;

/** Pushes a chart and prints what `helm push` prints (pkg/registry/client.go: Push). */
export async function pushToRegistry(
  remote: string,
  chart: PushedChart,
  connection: ConnectionOptions,
  context: HelmContext,
): Promise<void> {
  const { name, version } = chart.metadata;
  const reference = parseReference(`${withoutTrailingSlashes(remote)}/${name}:${version}`);
  const credentials = await credentialsFor(reference, connection, context);
  const client = { dispatcher: await connect(connection, context), plainHttp: connection.plainHttp };
  const { tag, digest } = await pushChart(reference, chart, { ...credentials }, client, new AbortController().signal);
  const pushed = `${reference.host}/${reference.repository}:${tag}`;
  context.stdout.write(`Pushed: ${pushed}\nDigest: ${digest}\n`);
  if (tag.includes('_')) context.stdout.write(`${pushed} contains an underscore.\n${underscores}`);
}
