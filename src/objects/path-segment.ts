import { InvalidNameError } from './invalid-name-error.ts';
import type { ObjectMeta } from './object.ts';

/**
 * Returns why a text cannot be one segment of a path. Rules and wording are those of Kubernetes
 * (k8s.io/apimachinery/pkg/api/validation/path); texts that are empty or not Unicode are refused
 * too.
 */
function segmentProblems(text: string): string[] {
  if (text === '') return ['may not be empty'];
  if (!text.isWellFormed()) return ['must be valid Unicode'];
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%'].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`);
}

/**
 * Returns a text as one segment of a path. Throws InvalidNameError, with the message of client-go
 * (rest/request.go), if it cannot be one. `what` is `resource name`, `namespace` and so on.
 */
export function pathSegment(what: string, text: string): string {
  const problems = segmentProblems(text);
  if (problems.length === 0) return encodeURIComponent(text);
  if (text === '' && what === 'resource name') throw new InvalidNameError('resource name may not be empty');
  throw new InvalidNameError(`invalid ${what} ${JSON.stringify(text)}: [${problems.join(' ')}]`);
}

/**
 * Throws InvalidNameError if the name or the namespace of an object cannot be part of a request.
 * Both may be empty: with `generateName`, and in a manifest that leaves the namespace to the
 * release.
 */
export function requireObjectName({
  name = '',
  namespace = '',
}: Partial<Pick<ObjectMeta, 'name' | 'namespace'>>): void {
  if (name !== '') pathSegment('resource name', name);
  if (namespace !== '') pathSegment('namespace', namespace);
}
