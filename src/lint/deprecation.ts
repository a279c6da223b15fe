import { deprecatedKinds } from './deprecated-kinds.ts';
import type { ObjectHead } from './object-head.ts';

/**
 * Returns Helm's text about a kind that is deprecated in a Kubernetes version (`major.minor`)
 * (pkg/chart/v2/lint/rules/deprecations.go); undefined if it is not deprecated.
 */
export function deprecationOf({ apiVersion, kind }: ObjectHead, kubeVersion: string): string | undefined {
  for (const { since, removed, replacement, ...row } of deprecatedKinds) {
    if (row.apiVersion !== apiVersion || isBefore(kubeVersion, since)) continue;
    const entry = row.kinds.split(' ').find((candidate) => candidate.split(':', 1)[0] === kind);
    if (entry === undefined) continue;
    const successor = entry.split(':')[1] ?? kind;
    const unavailable = removed === '' ? '' : `, unavailable in v${removed}+`;
    const use = replacement === '' ? '' : `; use ${replacement} ${successor}`;
    return `${apiVersion} ${kind} is deprecated in v${since}+${unavailable}${use}`;
  }
  return undefined;
}

function isBefore(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major === otherMajor ? minor < otherMinor : major < otherMajor;
}
