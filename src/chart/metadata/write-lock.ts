import type { Value } from '../../go/value.ts';
import { writeYaml } from '../../yaml/write.ts';
import type { ChartLock } from './metadata.ts';
import { dependencyMap } from './write-metadata.ts';

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
