import type { Release } from '../release.ts';

/** Labels that Helm sets on what it stores; no release may bring its own. */
const systemLabels: ReadonlySet<string> = new Set(['name', 'owner', 'status', 'version', 'createdAt', 'modifiedAt']);

/** The labels that the user gave to the release. */
export function customLabels(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !systemLabels.has(key)));
}

/** The labels of a stored revision, by which Helm finds it. */
export function storageLabels(release: Release, others: Record<string, string>): Record<string, string> {
  return {
    ...others,
    name: release.name,
    owner: 'helm',
    status: release.info.status,
    version: String(release.version),
  };
}
