import { type RequestSources, withoutUndefined } from '../../operation/command-operation.ts';
import { OperationError } from '../../operation/error.ts';
import type { ChartPlace } from '../../operation/request.ts';
import type { ChartRequest } from '../../source/chart-request.ts';
import type { ChartSource } from '../../source/chart-source.ts';
import type { ChartVerification } from '../../source/verification/chart-verification.ts';

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

/** Returns how to load the chart of a command. Throws `bad_payload`. */
type ChartLoader = (
  place: ChartPlace,
  /** The signature that it must have. Default: what the command says, without any key. */
  verification?: ChartVerification,
) => ReturnType<RequestSources['chartAt']>;

/** Returns a function that returns how to load the chart of a command. */
export function chartLoader({ source, credentials }: ChartLoaderOptions): ChartLoader {
  return (place, verification = verificationOf(place)) => {
    const { credentialsFrom } = place;
    const chart = { ...chartRequest(place), ...(verification && { verification }) };
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

/** Without a policy, an agent knows no key. */
function verificationOf({ verify = 'never' }: ChartPlace): ChartVerification | undefined {
  return verify === 'never' ? undefined : { mode: verify, keys: [] };
}

function chartRequest({
  repoUserName,
  repoPassword,
  dependencyUpdate,
  chartArchive,
  chartProvenance,
  ...place
}: ChartPlace): ChartRequest {
  const { chartName, chartVersion, repoUrl, chartDigest: digest, chartUpload: upload } = place;
  return {
    ...{ chartName, chartVersion, repoUrl, username: repoUserName, password: repoPassword },
    ...(dependencyUpdate && { dependencyUpdate }),
    ...(chartArchive !== undefined && { archive: Buffer.from(chartArchive, 'base64') }),
    ...(chartProvenance !== undefined && { provenance: Buffer.from(chartProvenance) }),
    ...withoutUndefined({ digest, upload }),
  };
}
