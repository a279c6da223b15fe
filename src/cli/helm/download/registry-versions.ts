import { defaultDownloadSettings } from '../../../source/download-settings.ts';
import { listVersions } from '../../../source/oci/list-versions.ts';
import { parseReference } from '../../../source/oci/reference.ts';
import type { ChartVersion } from '../../../source/select-version.ts';
import type { HelmContext } from '../context.ts';
import type { ConnectionOptions } from '../flags/connection-flags.ts';
import { connect } from './connect.ts';
import { credentialsFor } from './download-chart.ts';

/** Returns the versions of a chart in a registry. Throws `SourceError`. */
export async function registryVersions(
  url: string,
  connection: ConnectionOptions,
  context: HelmContext,
  signal: AbortSignal,
): Promise<ChartVersion[]> {
  const reference = parseReference(url);
  const { timeoutMs } = defaultDownloadSettings;
  const settings = { dispatcher: await connect(connection, context), plainHttp: connection.plainHttp, timeoutMs };
  return listVersions(reference, { ...(await credentialsFor(reference, connection, context)) }, settings, signal);
}
