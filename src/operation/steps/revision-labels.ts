import { customLabels, systemLabels } from '../../release/storage/storage.ts';
import { OperationError } from '../error.ts';

type Labels = Readonly<Record<string, string>>;

/** Returns the labels of a new release. Throws `bad_payload` for one of Helm's own labels. */
export function installLabels(labels: Labels = {}): Record<string, string> {
  if (Object.keys(labels).some((name) => systemLabels.has(name))) {
    const reserved = [...systemLabels].join(' ');
    const message = `user supplied labels contains system reserved label name. System labels: [${reserved}]`;
    throw new OperationError('bad_payload', message);
  }
  return { ...labels };
}

/**
 * Returns the labels of an upgrade from a revision with `stored` labels. The value `null` removes a
 * label (pkg/action/upgrade.go: mergeCustomLabels).
 */
export function upgradeLabels(stored: Record<string, string>, labels: Labels = {}): Record<string, string> {
  const merged = { ...customLabels(stored), ...installLabels(labels) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== 'null'));
}
