import type { ChartLimits } from '../chart/limits.ts';
import type { RenderLimits } from '../render/limits.ts';

/** Limits for what texts of strangers become. */
export interface TextLimits {
  /** Objects of one manifest. */
  readonly objects: number;
  /** Bytes of one manifest, hooks and notes included. */
  readonly manifestBytes: number;
  /** Bytes of a release when it is unpacked. */
  readonly releaseBytes: number;
  /** Maps, lists and scalars of all objects of a manifest. */
  readonly nodes: number;
  /** Maps, lists and scalars of the values of a chart and of a stored release. */
  readonly valueNodes: number;
}

/** More than any real chart needs. */
export const defaultTextLimits: TextLimits = {
  objects: 10_000,
  manifestBytes: 16 * 1024 * 1024,
  releaseBytes: 16 * 1024 * 1024,
  nodes: 1_000_000,
  valueNodes: 100_000,
};

/** All limits of a thread that reads texts. */
export interface TextThreadLimits extends RenderLimits, ChartLimits, TextLimits {}
