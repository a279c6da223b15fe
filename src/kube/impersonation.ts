import { fieldAt, isJsonObject } from '../objects/fields.ts';

/** The user that the API server sees in place of that of the credentials. Without a name: none. */
export interface Impersonation {
  user: string;
  uid: string;
  groups: readonly string[];
  /** Lists of texts by name. */
  extra: Readonly<Record<string, readonly string[]>>;
}

export const noImpersonation: Impersonation = { user: '', uid: '', groups: [], extra: {} };

/**
 * Reads `as`, `as-uid`, `as-groups` and `as-user-extra` of a user of a kubeconfig. Throws an error
 * if one has the wrong type: without it, the requests would have other rights.
 */
export function readImpersonation(name: string, user: unknown): Impersonation {
  const read = <T>(field: string, type: string, isType: (value: unknown) => value is T, none: T): T => {
    const value = fieldAt(user, field) ?? none;
    if (isType(value)) return value;
    throw new Error(`${field} of user ${JSON.stringify(name)} must be ${type}`);
  };
  return {
    user: read('as', 'text', isText, ''),
    uid: read('as-uid', 'text', isText, ''),
    groups: read('as-groups', 'a list of texts', isTextList, []),
    extra: read('as-user-extra', 'lists of texts by name', isTextLists, {}),
  };
}

/** Whether there is more than the name of a user, and no name. */
export function isWithoutUser({ user, uid, groups, extra }: Impersonation): boolean {
  return user === '' && (uid !== '' || groups.length > 0 || Object.keys(extra).length > 0);
}

export function impersonationHeaders({ user, uid, groups, extra }: Impersonation): Record<string, string | string[]> {
  if (user === '') return {};
  const extraHeaders = Object.entries(extra).map(([name, values]): [string, string[]] => [
    `Impersonate-Extra-${escapedName(name)}`,
    values.map(headerText),
  ]);
  return {
    'Impersonate-User': headerText(user),
    ...(uid !== '' && { 'Impersonate-Uid': headerText(uid) }),
    ...(groups.length > 0 && { 'Impersonate-Group': groups.map(headerText) }),
    ...Object.fromEntries(extraHeaders.filter(([, values]) => values.length > 0)),
  };
}

/** Returns the UTF-8 of a text as Node sends it: one byte for each character. */
function headerText(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Escapes what the name of a header cannot have (client-go: transport/round_trippers.go). */
function escapedName(name: string): string {
  return headerText(name).replaceAll(
    /[^!#$&'*+\-.^_`|~0-9A-Za-z]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isTextLists(value: unknown): value is Record<string, string[]> {
  return isJsonObject(value) && Object.values(value).every(isTextList);
}
