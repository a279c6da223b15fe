/** A ServiceAccount as `NAMESPACE/NAME`. */
export type ServiceAccount = `${string}/${string}`;

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const namespaceName = new RegExp(`^${label}$`);
const accountName = new RegExp(`^${label}(?:\\.${label})*$`);
const maxNameLength = 253;

/**
 * Returns why a text is not the name of a ServiceAccount, by the rules of Kubernetes. Undefined if
 * it is one.
 */
export function accountNameProblem(name: string): string | undefined {
  if (name.length <= maxNameLength && accountName.test(name)) return undefined;
  return `the name of a service account has at most ${maxNameLength} lowercase letters, digits, '-' and '.'`;
}

/** Returns why a text is not `NAMESPACE/NAME` of a ServiceAccount. Undefined if it is. */
export function accountProblem(account: string): string | undefined {
  const [namespace = '', name, ...rest] = account.split('/');
  if (name === undefined || rest.length > 0) return 'a service account is named as NAMESPACE/NAME';
  if (!namespaceName.test(namespace)) return "a namespace has at most 63 lowercase letters, digits and '-'";
  return accountNameProblem(name);
}

/** Returns the namespace and the name of a ServiceAccount. */
export function accountParts(account: ServiceAccount): { namespace: string; name: string } {
  const [namespace = '', name = ''] = account.split('/');
  return { namespace, name };
}

/**
 * Returns the user name of a ServiceAccount. Throws an Error if the text is not an account, so that
 * it never ends up in a header.
 */
export function accountUser(account: ServiceAccount): string {
  const problem = accountProblem(account);
  if (problem !== undefined) throw new Error(`${JSON.stringify(account)}: ${problem}`);
  const { namespace, name } = accountParts(account);
  return `system:serviceaccount:${namespace}:${name}`;
}
