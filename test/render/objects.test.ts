// Output of Helm 4.2.4 for templates that use .Files, .Capabilities, .Chart, .Release,
// .Template, .Subcharts and .Values, also in strict and lint mode. fixtures/README.md has the
// origin of the files.
import { readFileSync } from 'node:fs';
import test from 'ava';
import { type OracleCase, runOracleCase } from '../../tools/oracle-case.ts';

interface Recorded {
  readonly template: string;
  readonly strict?: boolean;
  readonly lint?: boolean;
  readonly output?: string;
  readonly error?: string;
}

function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
}

const chart = JSON.parse(fixture('objects-chart.json')) as Omit<OracleCase, 'id'>;

for (const line of fixture('objects.jsonl').trim().split('\n')) {
  const { output, error, ...rest } = JSON.parse(line) as Recorded;
  const mode = rest.strict === true ? ' in strict mode' : '';
  test(`${rest.template}${mode}${rest.lint === true ? ' in lint mode' : ''} is as in Helm`, (t) => {
    const result = runOracleCase({ ...chart, ...rest, id: '' });
    t.is(result['output'], output);
    t.is(result['error'], error);
  });
}
