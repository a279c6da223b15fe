import { withoutTrailingSlashes } from '../source/http/http-url.ts';
import { pushChart, type PushedChart } from '../source/oci/push-chart.ts';
import { parseReference } from '../source/oci/reference.ts';
import { connectToRegistry } from './connection.ts';
import type { DownloadContext } from './context.ts';
import type { ConnectionOptions } from './context.ts';
import { credentialsFor } from './download-chart.ts';
import { pushedText } from './helm-texts.ts';

/** Pushes a chart and prints what `helm push` prints (pkg/registry/client.go: Push). */
export async function pushToRegistry(
  remote: string,
  chart: PushedChart,
  connection: ConnectionOptions,
  context: DownloadContext,
): Promise<void> {
  const { name, version } = chart.metadata;
  const reference = parseReference(`${withoutTrailingSlashes(remote)}/${name}:${version}`);
  const credentials = await credentialsFor(reference, connection, context);
  const client = { dispatcher: await connectToRegistry(connection, context), plainHttp: connection.plainHttp };
  const { tag, digest } = await pushChart(reference, chart, { ...credentials }, client, new AbortController().signal);
  context.stdout.write(pushedText(`${reference.host}/${reference.repository}`, tag, digest));
}
