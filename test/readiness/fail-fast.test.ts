import test from 'ava';
import type { ProblemCode } from '../../src/protocol/problem-codes.ts';
import { classOf, type FailFast } from '../../src/readiness/fail-fast.ts';

const likely: FailFast = { level: 'likely', classes: {}, grace: 60_000, crashGrace: 30_000 };

type Row = [title: string, code: ProblemCode, found: string, setting?: Partial<FailFast>, annotation?: string];

const rows: Row[] = [
  ['a missing image is fatal', 'image_not_found', 'fatal'],
  ['a crash loop is likely', 'crash_loop', 'likely'],
  ['a crash loop is transient at the level fatal', 'crash_loop', 'transient', { level: 'fatal' }],
  ['a missing image is fatal at the level fatal', 'image_not_found', 'fatal', { level: 'fatal' }],
  ['nothing is fatal at the level never', 'image_not_found', 'transient', { level: 'never' }],
  ['a command changes classes', 'probe_failed', 'fatal', { classes: { probe_failed: 'fatal' } }],
  ['an annotation changes the level', 'crash_loop', 'transient', {}, 'never'],
  ['an annotation raises the level', 'crash_loop', 'likely', { level: 'never' }, 'likely'],
  [
    'an annotation takes precedence over a command',
    'crash_loop',
    'transient',
    { classes: { crash_loop: 'fatal' } },
    'fatal, crash_loop=transient',
  ],
  ['unknown words of an annotation are ignored', 'crash_loop', 'likely', {}, 'later, crash_loop=maybe, other=fatal'],
];

for (const [title, code, found, setting = {}, annotation] of rows) {
  test(title, (t) => {
    const annotations = annotation === undefined ? {} : { 'helm-agent/fail-fast': annotation };
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', annotations } };
    t.is<string, string>(classOf(object, code, { ...likely, ...setting }), found);
  });
}

test('a crash in a Job is transient, because its backoffLimit counts', (t) => {
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'load' } };
  t.is(classOf(job, 'crash_loop', likely), 'transient');
});
