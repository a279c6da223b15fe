import type { ClusterCapabilities } from '../objects/cluster.ts';
import type { Discovery } from './discovery.ts';
import type { Transport } from './transport.ts';

/**
 * Reads the server's version and discovery. As in Helm, the kinds of subresources are included:
 * `apps/v1/Scale`.
 */
export async function readCapabilities(
  transport: Transport,
  discovery: Discovery,
  signal?: AbortSignal,
): Promise<ClusterCapabilities> {
  const [version, groups] = await Promise.all([
    transport.json({ method: 'GET', path: '/version', signal }),
    discovery.refresh(signal),
  ]);
  const kinds = groups.kinds.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`);
  const { gitVersion, major, minor } = version as ClusterCapabilities['version']; // `version.Info`, defined by the API
  return {
    version: { gitVersion, major, minor },
    apiVersions: [...new Set([...groups.groupVersions, ...kinds])].sort(),
  };
}
