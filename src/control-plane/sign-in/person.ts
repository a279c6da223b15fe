import { userNameSchema } from '../access/token-options.ts';
import { ControlPlaneError } from '../error.ts';
import type { SignInSettings } from './sign-in-settings.ts';

/** Someone whom the provider has authenticated. */
export interface Person {
  readonly name: string;
  /** Those of their groups that the sign-in file names. */
  readonly groups: readonly string[];
}

/** The statements of a provider about someone. */
export type Claims = Readonly<Record<string, unknown>>;

/** Most groups of a person that are looked at. */
const maxClaimedGroups = 5000;

/**
 * Returns the person whom claims describe. Throws `ControlPlaneError` `unauthenticated` if they
 * have no name that can be trusted, and `forbidden` if no group has a role.
 */
export function personOf(claims: Claims, settings: SignInSettings): Person {
  const { nameClaim, namePrefix = nameClaim === 'email' ? '' : 'oidc:', groupsClaim } = settings;
  // anyone can write any address into an account at some providers
  if (nameClaim === 'email' && claims['email_verified'] === false) {
    throw new ControlPlaneError('unauthenticated', 'the email address of this account is not verified');
  }
  const claimed = claims[nameClaim];
  const name = userNameSchema.safeParse(`${namePrefix}${typeof claimed === 'string' ? claimed : ''}`);
  if (!name.success || claimed === '') {
    const message = `the provider sends no name in the claim ${nameClaim}, or one with characters that are not allowed`;
    throw new ControlPlaneError('unauthenticated', message);
  }
  const groups = groupsOf(claims[groupsClaim], settings);
  if (groups.length > 0) return { name: name.data, groups };
  const message = `${name.data} is in no group that has a role here; ask an administrator of this control plane`;
  throw new ControlPlaneError('forbidden', message);
}

function groupsOf(claimed: unknown, { groups }: SignInSettings): string[] {
  const items: unknown[] = Array.isArray(claimed) ? claimed.slice(0, maxClaimedGroups) : [claimed];
  const own = new Set(items);
  return [...new Set(groups.map(({ group }) => group))].filter((group) => own.has(group));
}
