import type { Cluster } from '../objects/cluster.ts';
import { hasClusterErrorCode } from '../objects/cluster-error.ts';
import type { ReadCredentials } from '../source/chart-request.ts';
import { credentialsInSecret } from '../source/secret-credentials.ts';
import { SourceError } from '../source/source-error.ts';

/** Returns a function that reads the credentials for charts from Secrets of a namespace. */
export function secretCredentials(cluster: Pick<Cluster, 'get'>, namespace: string): ReadCredentials {
  return async (name, chart, signal) => {
    const fail = (problem: string, cause?: unknown) =>
      new SourceError('repository_unauthorized', `credentialsFrom: ${problem}`, { cause });
    const where = `the Secret ${JSON.stringify(name)} in the namespace ${namespace} of the agent`;
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name };
    const secret = await cluster.get(ref, signal).catch((error: unknown) => {
      if (!hasClusterErrorCode(error, 'forbidden')) throw error;
      throw fail(`the agent may not read ${where}; give its service account the verb get for secrets there`, error);
    });
    if (secret === undefined) throw fail(`${where} does not exist; create it there`);
    return credentialsInSecret(secret, chart);
  };
}
