const decimal = /^(?:0|[1-9]\d*)$/;

/**
 * Whether a resourceVersion is older than another one. Kubernetes defines them as decimal numbers
 * that grow (KEP-5504); false for others, which cannot be compared.
 */
export function isOlder(version: string | undefined, than: string | undefined): boolean {
  if (version === undefined || than === undefined || !decimal.test(version) || !decimal.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}

/** Returns the newer one of two versions, and the second if they cannot be compared. */
export function newerOf(first: string | undefined, second: string | undefined): string | undefined {
  return second === undefined || isOlder(second, first) ? first : second;
}
