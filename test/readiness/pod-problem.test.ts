import { readFileSync } from 'node:fs';
import test from 'ava';
import { load } from 'js-yaml';
import type { KubeObject } from '../../src/objects/object.ts';
import { podProblem } from '../../src/readiness/pod-problem.ts';

interface Row {
  title: string;
  metadata?: object;
  spec?: object;
  status?: object;
  events?: object[];
  reason: string | null;
  code?: string;
  container?: string;
}

const rows = load(readFileSync(new URL('fixtures/pods.yaml', import.meta.url), 'utf8')) as Row[];

function event(fields: object, index: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `e${index}` },
    involvedObject: { uid: 'pod' },
    ...fields,
  };
}

for (const row of rows) {
  test(`${row.title}: ${row.reason ?? 'no problem'}`, (t) => {
    const metadata = { name: 'web-1', uid: 'pod', ...row.metadata };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      ...(row.spec && { spec: row.spec }),
      ...(row.status && { status: row.status }),
    };
    const problem = podProblem(pod, (row.events ?? []).map(event));
    t.is(problem?.text, row.reason ?? undefined);
    t.is<string | undefined, string | undefined>(problem?.code, row.code);
    t.is(problem?.container, row.container);
  });
}
