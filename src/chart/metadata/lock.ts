import { createHash } from 'node:crypto';
import type { Value } from '../../go/value.ts';
import { writeYaml } from '../../yaml/write.ts';
import type { ChartDependency, ChartLock } from './metadata.ts';
import { dependencyJson, dependencyMap } from './write-metadata.ts';

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

/** Returns a lock as Helm writes it in YAML. */
export function lockYaml({ generated, digest, dependencies }: ChartLock): string {
  return writeYaml(
    new Map<string, Value>([
      ['generated', generated],
      ['digest', digest],
      ['dependencies', dependencies?.map(dependencyMap) ?? null],
    ]),
  );
}
