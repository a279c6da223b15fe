import test from 'ava';
import { chartReferenceOf } from '../../src/policy/chart-reference.ts';

test('the name of a chart in a repository is one segment of its URL, whatever it has', (t) => {
  const references = ['web', 'a/b', '../x', 'web\ud800'].map(
    (chartName) => chartReferenceOf({ chartName, repoUrl: 'https://charts.example.com/stable' })?.reference,
  );
  t.deepEqual(references, [
    'https://charts.example.com/stable/web',
    'https://charts.example.com/stable/a%2Fb',
    'https://charts.example.com/stable/..%2Fx',
    'https://charts.example.com/stable/web%EF%BF%BD',
  ]);
});
