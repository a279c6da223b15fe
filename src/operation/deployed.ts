import type { Release } from '../release/release.ts';

/** The outcome of an installation or an upgrade. */
export interface Deployed {
  /** The new revision. The deployed one if nothing has changed. */
  release: Release;
  /** Whether nothing was done, because the release is already as requested. Default: false. */
  unchanged?: boolean;
}
