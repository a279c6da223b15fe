import { readFileSync } from 'node:fs';
import test from 'ava';
import { load } from 'js-yaml';
import type { KubeObject } from '../../src/objects/object.ts';
import { readinessOf } from '../../src/readiness/readiness.ts';
import type { ReadinessOptions } from '../../src/readiness/status.ts';

interface Row {
  title: string;
  object: KubeObject;
  toCompletion?: ReadinessOptions['toCompletion'];
  expect: [status: string, message: string];
}

const rows = load(readFileSync(new URL('fixtures/readiness.yaml', import.meta.url), 'utf8')) as Row[];
const now = Date.parse('2024-01-01T00:01:00Z');

for (const { title, object, toCompletion, expect } of rows) {
  test(`${title} is ${expect[0]}`, (t) => {
    const { status, message } = readinessOf(object, { now, ...(toCompletion && { toCompletion }) });
    t.deepEqual([status, message], expect);
  });
}
