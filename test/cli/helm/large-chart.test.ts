import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { UploadedCharts } from '../../../src/agent/charts/uploaded-charts.ts';
import { TunnelSource } from '../../../src/agent/connection/tunnel-source.ts';
import { loadArchive } from '../../../src/chart/load/load-archive.ts';
import { maxChartArchiveBytes } from '../../../src/protocol/limits.ts';
import { KeptFiles } from '../../../src/source/disk/kept-files.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { PuppetHandlers } from '../../agent/support/handlers.ts';
import { testRelease } from '../../agent/support/release.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { testProgram } from '../support/program.ts';

test('a chart that is too large for a command is uploaded once, and the agent gets it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const chart = join(folder, 'web');
  await mkdir(chart);
  await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  for (const name of ['a', 'b']) await writeFile(join(chart, name), randomBytes(3 * 1024 * 1024));

  const { url, agentUrl, plane } = await testPlane(t);
  const tunnels = new TunnelSource();
  const files = new KeptFiles();
  const uploads = new UploadedCharts({ tunnels, files });
  t.teardown(() => files.clear());
  const loaded: number[] = [];
  const names: string[] = [];
  const handlers = {
    ...new PuppetHandlers().handlers,
    async install_release(
      payload: { releaseName: string; chartUpload?: string | undefined },
      context: { signal: AbortSignal },
    ) {
      const archive = await uploads.load(payload.chartUpload ?? '', context.signal);
      loaded.push(archive.length);
      names.push((await loadArchive(archive, { notice: () => undefined })).metadata.name);
      return {
        release: testRelease(payload.releaseName, { chart: { metadata: { name: 'web' } }, manifest: '', config: {} }),
      };
    },
  };
  await testAgent(t, { controlPlaneUrl: agentUrl, handlers, tunnels });
  await plane.waitForAgent('edge-1');
  const requests: string[] = [];
  const env = { HOME: folder, HELM_AGENT_SERVER: url, HELM_AGENT_AGENT: 'edge-1' };
  for (const name of ['one', 'two']) {
    const { run, stderr } = testProgram({
      env,
      fetch: (target, init) => {
        if (target.includes('/api/charts/')) requests.push(init?.method ?? 'GET');
        return fetch(target, init);
      },
    });
    t.is(await run('helm', 'install', name, chart), 0, stderr.text);
  }
  t.deepEqual(names, ['web', 'web']);
  t.true((loaded[0] ?? 0) > maxChartArchiveBytes);
  t.deepEqual(requests, ['HEAD', 'PUT', 'HEAD']);
});
