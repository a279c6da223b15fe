import test from 'ava';
import { createChartSource } from '../../../src/source/chart-source.ts';
import { serve } from '../test-repository.ts';

const { signal } = new AbortController();
const places: [what: string, chart: { repoUrl?: string; chartName: string }, text: RegExp][] = [
  [
    'a repository',
    { repoUrl: 'http://127.0.0.1:9', chartName: 'web' },
    /^could not download the index of the chart repository from http:\/\/127\.0\.0\.1:9\/index\.yaml: /,
  ],
  [
    'a URL',
    { chartName: 'http://127.0.0.1:9/web.tgz' },
    /^could not download the archive of the chart at .* from http:\/\/127\.0\.0\.1:9\/web\.tgz: /,
  ],
  [
    'a registry',
    { chartName: 'oci://127.0.0.1:9/team/web' },
    /^could not connect to the registry at http:\/\/127\.0\.0\.1:9\/v2\/: /,
  ],
];
for (const [what, chart, text] of places) {
  for (const machine of ['this machine', "the agent's machine"] as const) {
    test(`an error says that ${machine} does not reach ${what}`, async (t) => {
      const source = createChartSource({ plainHttp: true, machine });
      const error = await t.throwsAsync(source.download(chart, signal), { code: 'repository_failed' });
      t.regex(error.message, text);
      t.true(error.message.endsWith(`; check the URL, and that it can be reached from ${machine}`), error.message);
    });
  }
}

test('an error names the registry that does not respond in time', async (t) => {
  const { url } = await serve(t, { '/v2/': () => undefined });
  const source = createChartSource({ plainHttp: true, timeoutMs: 300 });
  const chartName = `${url.replace('http', 'oci')}/team/web:1.0.0`;
  await t.throwsAsync(source.download({ chartName }, signal), {
    code: 'repository_timeout',
    message:
      /^timed out while connecting to the registry: .*\/v2\/ did not respond within 0\.3 s; .* from this machine$/,
  });
});
