import type { ClusterCapabilities } from '../objects/cluster.ts';
import type { Discovery } from './discovery.ts';
import type { DiscoveredGroups } from './discovery-documents.ts';
import type { Transport } from './transport.ts';

/** The server's version and discovery. */
export interface CapabilitiesReader {
  /** Returns them as they are now. The object is the same as before if nothing has changed. */
  current(signal?: AbortSignal): Promise<ClusterCapabilities>;
  /** Returns them as they were some seconds ago, without a request if they were read since then. */
  recent(signal?: AbortSignal): Promise<ClusterCapabilities>;
}

/** Age up to which capabilities are recent, in milliseconds. */
const defaultRecentAge = 60_000;

interface KnownCapabilities {
  value: ClusterCapabilities;
  groups: DiscoveredGroups;
  /** When reading them began. */
  time: number;
}

export function createCapabilities(
  transport: Transport,
  discovery: Discovery,
  recentAge = defaultRecentAge,
): CapabilitiesReader {
  let known: KnownCapabilities | undefined;

  async function current(signal?: AbortSignal): Promise<ClusterCapabilities> {
    const time = performance.now();
    const [document, groups] = await Promise.all([
      transport.json({ method: 'GET', path: '/version', signal }),
      discovery.refresh(signal),
    ]);
    const { gitVersion, major, minor } = document as ClusterCapabilities['version']; // `version.Info`, defined by the API
    const before = known?.groups === groups ? known.value : undefined;
    const value =
      before?.version.gitVersion === gitVersion
        ? before
        : { version: { gitVersion, major, minor }, apiVersions: apiVersionsOf(groups) };
    known = { value, groups, time };
    return value;
  }

  return {
    current,
    recent: (signal) =>
      known !== undefined && performance.now() - known.time < recentAge
        ? Promise.resolve(known.value)
        : current(signal),
  };
}

/** As in Helm, the kinds of subresources are included: `apps/v1/Scale`. */
function apiVersionsOf({ groupVersions, kinds }: DiscoveredGroups): string[] {
  const names = kinds.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`);
  return [...new Set([...groupVersions, ...names])].sort();
}
