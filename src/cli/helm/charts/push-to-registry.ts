import { withoutTrailingSlashes } from '../../../source/http/http-url.ts';
import { pushChart, type PushedChart } from '../../../source/oci/push-chart.ts';
import { parseReference } from '../../../source/oci/reference.ts';
import { pushedText } from '../../registry-texts.ts';
import type { HelmContext } from '../context.ts';
import { connect } from '../download/connect.ts';
import { credentialsFor } from '../download/download-chart.ts';
import type { ConnectionOptions } from '../flags/connection-flags.ts';

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
  context.stdout.write(pushedText(`${reference.host}/${reference.repository}`, tag, digest));
}
