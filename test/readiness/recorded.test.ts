import { readFileSync } from 'node:fs';
import test from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import { problemOf } from '../../src/readiness/diagnosis.ts';
import type { RelatedObjects } from '../../src/readiness/related-objects.ts';
import { waitReadiness } from '../../src/readiness/wait-readiness.ts';

/** A workload of a real cluster with the objects around it, at the moment of its verdict. */
interface Recorded extends RelatedObjects {
  title: string;
  /** Absent if the workload is ready. */
  problem?: string;
  workload: KubeObject;
}

const recorded = JSON.parse(readFileSync(new URL('fixtures/recorded.json', import.meta.url), 'utf8')) as Recorded[];

for (const { title, problem, workload, ...related } of recorded) {
  test(`${title}, as recorded, ${problem === undefined ? 'is ready' : `has the problem ${problem}`}`, (t) => {
    const now = Date.parse(workload.metadata.creationTimestamp ?? '') + 60_000;
    // a crash loop without a probe may look ready between two runs
    if (problem !== undefined) t.is<unknown, unknown>(problemOf(workload, related)?.code, problem);
    else t.is(waitReadiness(workload, () => related, { now, toCompletion: ['Job'] }).status, 'Current');
  });
}
