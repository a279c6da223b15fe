import type { Release } from '../../../release/release.ts';

/** Returns the chart's name and version as helm's tables show them. */
export function chartNameOf({ chart: { metadata } }: Release): string {
  return metadata === null ? 'MISSING' : `${metadata.name ?? ''}-${metadata.version ?? ''}`;
}

export function appVersionOf({ chart: { metadata } }: Release): string {
  return metadata === null ? 'MISSING' : (metadata.appVersion ?? '');
}
