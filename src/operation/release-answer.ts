import type { ChartSignature } from '../chart/load/chart-content.ts';
import type { Release as PublicRelease } from '../protocol/release.ts';
import type { ReleaseError } from '../release/error.ts';
import { type Release, withoutNotes } from '../release/release.ts';
import { maskedDifference, type ObjectDifference } from './diff/object-changes.ts';
import { answerRedaction } from './evidence/secret-values.ts';
import type { Work } from './work.ts';

/** Returns a release as commands answer it. */
export function publicRelease(release: Release): PublicRelease {
  return { ...release, info: { ...release.info }, chart: publicChart(release) };
}

/** Returns the answer of an installation or an upgrade. */
export function deployAnswer(
  { release, unchanged, differences, chartSignature }: Deployed,
  { hideNotes }: { hideNotes?: boolean | undefined },
) {
  const shown = publicRelease(hideNotes === true ? withoutNotes(release) : release);
  return {
    release: shown,
    ...(unchanged === true && { unchanged }),
    ...(differences && { differences }),
    ...(chartSignature && { chartSignature: { ...chartSignature } }),
  };
}

/** Returns the effects that an operation would have, without the secrets of its revisions. */
export async function shownDifferences(
  { context, cache }: Work<unknown>,
  release: Release,
): Promise<ObjectDifference[] | undefined> {
  const { previews, revisions } = cache;
  if (previews === undefined) return undefined;
  const shown = previews.flatMap(({ difference }) => (difference ? [maskedDifference(difference)] : []));
  const secret = answerRedaction(context, [release, ...Array.from(revisions.values(), (one) => one.release)]);
  return secret === undefined ? shown : await secret.differences(shown);
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

/** The outcome of an installation or an upgrade. */
export interface Deployed {
  /** The new revision. The deployed one if nothing has changed. */
  release: Release;
  /** Whether nothing was done, because the release is already as requested. Default: false. */
  unchanged?: boolean;
  /** The signature of the chart. Default: none was verified. */
  chartSignature?: ChartSignature | undefined;
  /** The effects on objects, if the request asks for a preview. */
  differences?: ObjectDifference[] | undefined;
}

/** Revisions, and messages about those that are left out because they cannot be read. */
export interface ReadRevisions {
  releases: Release[];
  unreadable: string[];
}

/** Most messages that an answer has. */
const maxMessages = 20;

/** The errors of revisions that a list leaves out, as Helm does, because it cannot read them. */
export class UnreadableRevisions {
  readonly #messages: string[] = [];
  #count = 0;

  add({ message }: ReleaseError): void {
    this.#count += 1;
    if (this.#count <= maxMessages) this.#messages.push(message);
  }

  /** Returns the first messages, and how many more there are. */
  messages(): string[] {
    const more = this.#count - maxMessages;
    return more > 0 ? [...this.#messages, `and ${more} more`] : [...this.#messages];
  }
}
