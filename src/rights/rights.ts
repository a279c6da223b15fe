import type { ServiceAccount } from '../objects/service-account.ts';
import { type CommandScope, describeScope, isSelected } from './command-selector.ts';
import type { RightsRules } from './rules.ts';

/** A command that may not be performed as any service account, or not as the one it has had. */
export class RightsError extends Error {
  override readonly name = 'RightsError';
  readonly code: 'forbidden' | 'rights_file_invalid';

  constructor(code: RightsError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Returns the service account that performs a command: that of the first rule that matches it, or
 * the default. Throws `RightsError` `forbidden` if there is none.
 */
export function accountOf({ rules, default: otherwise }: RightsRules, scope: CommandScope): ServiceAccount {
  const index = rules.findIndex((rule) => isSelected(rule, scope));
  const account = index < 0 ? otherwise : rules[index]?.account;
  const place = index < 0 ? 'the default of the rights file' : `rules[${index}] of the rights file`;
  if (account === undefined || account === 'none') {
    throw new RightsError(
      'forbidden',
      `${describeScope(scope)} may not be performed: ${place} gives it no service account; let the owner of the cluster add a rule`,
    );
  }
  const found = inNamespace(account, scope.namespace);
  if (found !== undefined) return found;
  throw new RightsError(
    'forbidden',
    `${describeScope(scope)} may not be performed: ${place} names the service account ${account} of the namespace of the release, and the command is for all namespaces; name one namespace, or let the owner of the cluster give it an account as NAMESPACE/NAME`,
  );
}

/**
 * Throws `RightsError` `forbidden` unless a rule for the command, from any sender, or the default
 * still names a service account.
 */
export function requireNamed(
  { rules, default: otherwise }: RightsRules,
  account: ServiceAccount,
  scope: CommandScope,
): void {
  const named = rules.filter((rule) => isSelected({ ...rule, callers: undefined }, scope)).map((rule) => rule.account);
  if ([...named, otherwise].some((text) => inNamespace(text, scope.namespace) === account)) return;
  throw new RightsError(
    'forbidden',
    `the command was accepted to run as the service account ${account}, which the rights file does not name for it any more; it was not continued, and the release is left as it is`,
  );
}

/** A name alone is that of an account in the namespace of the release. */
function inNamespace(account: string, namespace: string | undefined): ServiceAccount | undefined {
  if (account === 'none') return undefined;
  if (account.includes('/')) return account as ServiceAccount; // the schema has checked it
  return namespace === undefined ? undefined : `${namespace}/${account}`;
}
