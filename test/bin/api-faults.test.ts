import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import pMap from 'p-map';
import type { ControlPlane, SentCommand } from '../../src/control-plane/index.ts';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import { snapshot } from '../operation/resumption/snapshot.ts';
import { realHost } from '../support/host.ts';
import { randomOf, seedOf } from '../support/random.ts';
import { faultyWorld } from './support/faulty-world.ts';
import { type FollowedJobs, followJobs } from './support/followed-jobs.ts';
import { hookTemplates } from './support/job-template.ts';
import { agentId } from './support/world.ts';

// `npm run test:api-faults` performs 200 releases
const count = Number(process.env['FAULTY_RELEASES'] ?? 2);

/** Part of the requests that have a fault. */
const rate = 0.2;

/** Number of releases at a time. */
const concurrency = 20;

const templates = `
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {greeting: {{ .Values.greeting }}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {greeting: {{ .Values.greeting }}}}
    spec: {containers: [{name: main, image: localhost/app:1}]}
{{- if .Values.extra }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: extra}
{{- end }}
${hookTemplates('[sleep, 1s]')}`;

async function writeCharts(folder: string): Promise<void> {
  await mkdir(join(folder, 'web/templates'), { recursive: true });
  await writeFile(join(folder, 'web/Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  await writeFile(join(folder, 'web/values.yaml'), 'greeting: hello\nextra: true\n');
  await writeFile(join(folder, 'web/templates/all.yaml'), templates);
}

interface Setup {
  plane: ControlPlane;
  cluster: KubeCluster;
  jobs: FollowedJobs;
  /** The commands that did not succeed, with their results. */
  failures: string[];
}

/** The objects and records of a release before and after it is uninstalled, and its Jobs. */
interface Effects {
  deployed: string[];
  uninstalled: string[];
  jobs: string[];
}

test(`${count} releases succeed although 20 % of the requests to the API server fail, and each has one effect`, async (t) => {
  t.timeout(30 * 60_000, 'a busy machine');
  const seed = seedOf(process.env);
  t.log(`SEED=${seed}`);
  const { plane, cluster, api, lines } = await faultyWorld(t, { random: randomOf(seed), writeCharts });
  const jobs = followJobs(cluster);
  t.teardown(() => jobs.stop());
  const failures: string[] = [];
  const setup = { plane, cluster, jobs, failures };

  const methods = [true, false];
  const wholes = await Promise.all(methods.map((serverSide) => perform(setup, `whole-${serverSide}`, serverSide)));
  api.rate = rate;
  const effects: [serverSide: boolean, Effects][] = [];
  const releases = Array.from({ length: count }, (_, index) => index);
  await pMap(
    releases,
    async (index) => {
      const serverSide = index % 2 === 0;
      effects.push([serverSide, await perform(setup, `faulty-${index}`, serverSide)]);
    },
    { concurrency },
  );
  api.rate = 0;
  t.log(api.summary());
  t.deepEqual(failures, []);
  for (const [serverSide, found] of effects) t.deepEqual(found, wholes[methods.indexOf(serverSide)]);
  const open = { apiVersion: 'v1', kind: 'Secret', labelSelector: 'helm-agent/journal-state=running' };
  t.deepEqual(await cluster.list(open), [], 'commands that have not ended');
  t.false(lines.some((line) => line.includes('defect')));
});

/** Performs each command that changes a release, one after the other. */
async function perform(
  { plane, cluster, jobs, failures }: Setup,
  namespace: string,
  serverSide: boolean,
): Promise<Effects> {
  const onUnreadable = (error: Error) => {
    throw error;
  };
  const storage = openStorage('secret', { cluster, host: realHost, onUnreadable });
  const release = { releaseName: 'web', namespace };
  const chart = { ...release, chartName: 'web', serverSide };
  const ended = async (command: SentCommand) => {
    const events: string[] = [];
    for await (const { type, payload } of command) {
      if (type === 'result') events.push('ok' in payload && payload.ok ? 'success' : JSON.stringify(payload));
    }
    if (!isDeepStrictEqual(events, ['success'])) failures.push(`${command.type} in ${namespace}: ${events.join()}`);
  };
  await ended(plane.install(agentId, chart));
  await ended(plane.upgrade(agentId, { ...chart, values: 'greeting: good morning\nextra: false\n' }));
  await ended(plane.test(agentId, release));
  await ended(plane.rollback(agentId, release));
  const deployed = await snapshot(cluster, storage, namespace);
  await ended(plane.uninstall(agentId, release));
  return { deployed, uninstalled: await snapshot(cluster, storage, namespace), jobs: jobs.createdIn(namespace) };
}
