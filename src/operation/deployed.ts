import type { Release } from '../release/release.ts';
import type { ObjectPreview } from './diff/preview.ts';

/** The outcome of an installation or an upgrade. */
export interface Deployed {
  /** The new revision. The deployed one if nothing has changed. */
  release: Release;
  /** Whether nothing was done, because the release is already as requested. Default: false. */
  unchanged?: boolean;
  /** The effects on objects, if the request asks for a preview. */
  previews?: readonly ObjectPreview[] | undefined;
}
