import type { Discovery } from './discovery.ts';
import type { Transport } from './transport.ts';
import type { ClusterCapabilities } from './types.ts';

/** What Helm's `.Capabilities` are made of, from live discovery. Helm counts the kinds of subresources too: `apps/v1/Scale`. */
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
  const { gitVersion, major, minor } = version as ClusterCapabilities['version']; // `version.Info`, fixed by the API
  return {
    version: { gitVersion, major, minor },
    apiVersions: [...new Set([...groups.groupVersions, ...kinds])].sort(),
  };
}
