import test from 'ava';
import { deploymentTime } from '../../../src/operation/steps/estimate.ts';
import type { Release } from '../../../src/release/release.ts';
import { sampleRelease } from '../../release/sample-release.ts';

const start = '2026-01-02T03:04:05.5Z';
const labels = { modifiedAt: String(Date.parse('2026-01-02T03:04:40Z') / 1000) };

function release(status: 'deployed' | 'superseded', hooks: Release['hooks'] = []): Release {
  const sample = sampleRelease('web', 1, status);
  return { ...sample, info: { ...sample.info, last_deployed: start }, hooks };
}

const hook = (run: object) => ({
  ...{ name: 'a', kind: 'Pod', path: 'a.yaml', manifest: '', events: ['test'] },
  last_run: { started_at: '', completed_at: '', phase: '' as const, ...run },
});

const cases: [title: string, release: Release, labels: Record<string, string>, expected: number | undefined][] = [
  ['that from its start to its last write', release('deployed'), labels, 34_500],
  ['not known without the label', release('deployed'), {}, undefined],
  ['not known of a superseded revision, which was written later', release('superseded'), labels, undefined],
  ['known if its tests have never run', release('deployed', [hook({})]), labels, 34_500],
  ['not known after a run of its tests', release('deployed', [hook({ started_at: start })]), labels, undefined],
];

for (const [title, given, own, expected] of cases) {
  test(`the time of a deployment is ${title}`, (t) => {
    t.is(deploymentTime({ release: given, labels: own }), expected);
  });
}
