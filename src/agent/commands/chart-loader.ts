import { type RequestSources, withoutUndefined } from '../../operation/command-operation.ts';
import { OperationError } from '../../operation/error.ts';
import type { ChartPlace } from '../../operation/request.ts';
import type { ChartRequest } from '../../source/chart-request.ts';
import type { ChartSource } from '../../source/chart-source.ts';

/** Reads the credentials for a chart from the Secret with this name. */
export type ReadCredentials = (
  secret: string,
  chart: Pick<ChartRequest, 'repoUrl' | 'chartName'>,
  signal: AbortSignal,
) => Promise<Pick<ChartRequest, 'username' | 'password' | 'token' | 'tls' | 'credentialPaths'>>;

export interface ChartLoaderOptions {
  source: Pick<ChartSource, 'load'>;
  /** Default: commands cannot name a Secret. */
  credentials?: ReadCredentials;
}

/** Returns a function that returns how to load the chart of a command. It throws `bad_payload`. */
export function chartLoader({ source, credentials }: ChartLoaderOptions): RequestSources['chartAt'] {
  return (place) => {
    const { credentialsFrom } = place;
    const chart = chartRequest(place);
    if (credentialsFrom === undefined) return (signal) => source.load(chart, signal);
    if (place.repoUserName || place.repoPassword) {
      throw new OperationError('bad_payload', 'credentialsFrom: give either a Secret or a user name and a password');
    }
    if (credentials === undefined) {
      throw new OperationError('bad_payload', 'credentialsFrom: there is no agent whose Secrets could be read');
    }
    return async (signal) =>
      source.load({ ...chart, ...(await credentials(credentialsFrom.secret, chart, signal)) }, signal);
  };
}

function chartRequest({
  repoUserName,
  repoPassword,
  dependencyUpdate,
  chartArchive,
  ...place
}: ChartPlace): ChartRequest {
  const { chartName, chartVersion, repoUrl, chartDigest: digest, chartUpload: upload } = place;
  return {
    ...{ chartName, chartVersion, repoUrl, username: repoUserName, password: repoPassword },
    ...(dependencyUpdate && { dependencyUpdate }),
    ...(chartArchive !== undefined && { archive: Buffer.from(chartArchive, 'base64') }),
    ...withoutUndefined({ digest, upload }),
  };
}
