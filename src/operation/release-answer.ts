import type { Deployed } from './deployed.ts';
import { maskedDifference } from './diff/object-changes.ts';
import type { ReadRevisions } from './unreadable-revisions.ts';
import type { Release as PublicRelease } from '../protocol/release.ts';
import type { Release } from '../release/release.ts';

/** Returns a release as commands answer it. */
export function publicRelease(release: Release): PublicRelease {
  return { ...release, info: { ...release.info }, chart: publicChart(release) };
}

/** Returns the answer of an installation or an upgrade. */
export function deployAnswer(
  { release, unchanged, previews }: Deployed,
  { hideNotes }: { hideNotes?: boolean | undefined },
) {
  const shown = publicRelease(hideNotes === true ? withoutNotes(release) : release);
  const differences = previews?.flatMap(({ difference }) => (difference ? [maskedDifference(difference)] : []));
  return { release: shown, ...(unchanged === true && { unchanged }), ...(differences && { differences }) };
}

/** Returns a release without its notes. */
function withoutNotes({ info: { notes: _, ...info }, ...release }: Release): Release {
  return { ...release, info };
}

/**
 * Returns a release as a list shows it: without notes, values and manifest, and only the chart's
 * metadata.
 */
export function releaseSummary(release: Release): PublicRelease {
  const { name, namespace, version, info, chart } = withoutNotes(release);
  return { name, namespace, version, info: { ...info }, chart: { metadata: metadataOf(chart) } };
}

/** Returns the answer of a list of revisions. */
export function releasesAnswer({ releases, unreadable }: ReadRevisions) {
  return { releases: releases.map(releaseSummary), ...(unreadable.length > 0 && { unreadable }) };
}

function publicChart({ chart }: Release) {
  return { ...chart, metadata: metadataOf(chart) };
}

/** A copy, because an interface is not assignable to a type with an index signature. */
function metadataOf({ metadata }: Release['chart']) {
  return metadata && { ...metadata };
}
