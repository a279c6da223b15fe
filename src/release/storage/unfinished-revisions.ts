import type { Cluster } from '../../objects/cluster.ts';
import { releaseStatuses, isUnfinished } from '../status.ts';
import { holdingAgent } from './holder.ts';
import type { ObjectFormat } from './revision-object.ts';
import type { RevisionKey } from './storage.ts';

/**
 * Returns the revisions that an agent has left unfinished or works on, in all namespaces. Reads
 * only their metadata.
 */
export async function unfinishedRevisions(
  cluster: Pick<Cluster, 'list'>,
  kind: ObjectFormat['kind'],
  agentId: string,
  signal: AbortSignal,
): Promise<RevisionKey[]> {
  const labelSelector = `owner=helm,status in (${releaseStatuses.filter(isUnfinished).join(',')})`;
  const found = await cluster.list({ apiVersion: 'v1', kind, labelSelector, metadataOnly: true }, signal);
  return found
    .filter((object) => holdingAgent(object) === agentId)
    .map(({ metadata: { namespace = '', labels = {} } }) => ({
      namespace,
      name: labels['name'] ?? '',
      version: Number(labels['version']),
    }));
}
