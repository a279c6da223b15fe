import { type RequestSources, withoutUndefined } from '../../operation/command-operation.ts';
import type { OperationContext } from '../../operation/context.ts';
import { OperationError } from '../../operation/error.ts';
import type { ChartPlace } from '../../operation/request.ts';
import type { ChartRequest, ChartVerification, ReadCredentials, SourceMirrors } from '../../source/chart-request.ts';
import type { ChartSource } from '../../source/chart-source.ts';
import { mirroredRequest } from '../../source/mirrored-request.ts';
import { credentialsInText } from '../../source/secret-credentials.ts';

export interface ChartLoaderOptions {
  source: Pick<ChartSource, 'load'>;
  /** Default: commands cannot name a Secret. */
  credentials?: ReadCredentials;
  /** Opens sealed credentials. Default: commands cannot have them. */
  sealing?: OperationContext['sealing'];
}

/** The part of the policy that says how a chart is fetched. */
interface ChartLimits {
  /** The signature that it must have. Default: none. */
  verification?: ChartVerification | undefined;
  /** Repositories in place of others. Default: none. */
  mirrors?: SourceMirrors | undefined;
}

/** Returns how to load the chart of a command. Throws `bad_payload`. */
type ChartLoader = (place: ChartPlace, limits?: ChartLimits) => ReturnType<RequestSources['chartAt']>;

/** Returns a function that returns how to load the chart of a command. */
export function chartLoader({ source, credentials, sealing }: ChartLoaderOptions): ChartLoader {
  const loadSealed = (
    place: ChartPlace,
    chart: ChartRequest,
    sealed: NonNullable<ChartPlace['sealedCredentials']>,
  ): ReturnType<RequestSources['chartAt']> => {
    const { namespace, releaseName } = place;
    requireOnly(place, 'sealedCredentials');
    if (sealing === undefined || namespace === undefined || releaseName === undefined) {
      throw new OperationError('bad_payload', 'sealedCredentials: there is no agent that could open them');
    }
    return async (signal) => {
      const text = await sealing.open(sealed, { namespace, releaseName, purpose: 'credentials' });
      return await source.load({ ...chart, ...credentialsInText(text, chart) }, signal);
    };
  };
  /** Loads with the credentials of the command. */
  const loadOwn = (place: ChartPlace, chart: ChartRequest) => {
    const { credentialsFrom, sealedCredentials } = place;
    if (sealedCredentials !== undefined) return loadSealed(place, chart, sealedCredentials);
    if (credentialsFrom === undefined) return (signal: AbortSignal) => source.load(chart, signal);
    requireOnly(place, 'credentialsFrom');
    if (credentials === undefined) {
      throw new OperationError('bad_payload', 'credentialsFrom: there is no agent whose Secrets could be read');
    }
    return async (signal: AbortSignal) =>
      source.load({ ...chart, ...(await credentials(credentialsFrom.secret, chart, signal)) }, signal);
  };
  return (place, limits = { verification: verificationOf(place) }) => {
    const { verification } = limits;
    const mirrors = limits.mirrors && { ...limits.mirrors, credentials };
    const chart = { ...chartRequest(place), ...(verification && { verification }), ...(mirrors && { mirrors }) };
    const load = loadOwn(place, chart);
    if (mirrors === undefined) return load;
    return async (signal) => {
      // the credentials of a command are for the host that it names
      const mirrored = await mirroredRequest(chart, mirrors, signal);
      return await (mirrored === undefined ? load(signal) : source.load(mirrored, signal));
    };
  };
}

/** Without a policy, an agent knows no key. */
function verificationOf({ verify = 'never' }: ChartPlace): ChartVerification | undefined {
  return verify === 'never' ? undefined : { mode: verify, keys: [] };
}

/** Throws `bad_payload` for a command with other credentials than those of a field. */
function requireOnly(place: ChartPlace, field: 'credentialsFrom' | 'sealedCredentials'): void {
  const other = field === 'credentialsFrom' ? place.sealedCredentials : place.credentialsFrom;
  if (!place.repoUserName && !place.repoPassword && other === undefined) return;
  throw new OperationError(
    'bad_payload',
    `${field}: give only one of a user name and a password, credentialsFrom and sealedCredentials`,
  );
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
