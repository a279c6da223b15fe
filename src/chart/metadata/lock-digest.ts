import { createHash } from 'node:crypto';
import type { ChartDependency } from './metadata.ts';
import { dependencyJson } from './write-metadata.ts';

type Dependencies = readonly ChartDependency[] | null;

/**
 * Returns the digest in Chart.lock of what Chart.yaml requires and of what is locked
 * (internal/resolver: HashReq).
 */
export function lockDigest(required: Dependencies, locked: Dependencies): string {
  return digestOf(`[${listJson(required)},${listJson(locked)}]`);
}

/** Returns the digest that Helm 2 wrote to requirements.lock (internal/resolver: HashV2Req). */
export function helm2LockDigest(required: Dependencies): string {
  return digestOf(`{"dependencies":${listJson(required)}}`);
}

function listJson(dependencies: Dependencies): string {
  return dependencies === null ? 'null' : `[${dependencies.map(dependencyJson).join()}]`;
}

function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
