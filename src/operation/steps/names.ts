import { OperationError } from '../error.ts';

// Rules and messages of Helm (pkg/chart/v2/util/validate_name.go) and, for namespaces, Kubernetes
const releaseName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const maxReleaseName = 53;
const namespaceName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const maxNamespaceName = 63;

/** Returns Helm's message about an invalid release name, or undefined if it is valid. */
export function releaseNameProblem(name: string): string | undefined {
  if (name === '') return 'no name provided';
  if (name.length <= maxReleaseName && releaseName.test(name)) return undefined;
  return `invalid release name, must match regex ${releaseName.source} and the length must not be longer than ${maxReleaseName}`;
}

/** Throws `invalid_release_name`. `describe` returns the message for a problem with the name. */
export function checkReleaseName(name: string, describe: (problem: string) => string): void {
  const problem = releaseNameProblem(name);
  if (problem !== undefined) throw new OperationError('invalid_release_name', describe(problem));
}

/** Throws `invalid_namespace`. */
export function checkNamespace(name: string): void {
  if (name.length <= maxNamespaceName && namespaceName.test(name)) return;
  const rule =
    name.length > maxNamespaceName
      ? `must be no more than ${maxNamespaceName} bytes`
      : `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${namespaceName.source.slice(1, -1)}')`;
  throw new OperationError('invalid_namespace', `invalid namespace ${JSON.stringify(name)}: ${rule}`);
}
