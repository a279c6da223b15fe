import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ChartObjects } from './chart-objects.ts';
import { completeJobs } from './complete-jobs.ts';
import { useHarness } from './harness.ts';
import { type Ended, runHelm } from './helm.ts';
import { compareStates } from './namespace-state.ts';
import { freeNamespace } from './namespaces.ts';
import { kubeconfigText } from './real-cluster.ts';
import { packetsOf } from './scenarios/packets.ts';
import { slots } from './scenarios/slots.ts';
import { isWanted } from './wanted-differences.ts';

/**
 * Charts with definitions, webhooks and many kinds, which render the same each time. Not those
 * whose webhooks would refuse objects of other tests, and not those with an APIService, which stops
 * the deletion of namespaces.
 */
const chartNames = [
  ...['external-secrets', 'cert-manager', 'vault', 'prometheus-operator-admission-webhook', 'metallb', 'dapr'],
  ...['istiod', 'spire-crds', 'vpa', 'cloudnative-pg', 'gemini', 'rbac-manager'],
  ...['multus-cni', 'sealed-secrets', 'alloy', 'nats-operator', 'metacontroller', 'argocd-image-updater'],
  ...['nack', 'argo-crds', 'ack-iam-controller-crds', 'longhorn', 'flux', 'contour'],
  ...['minio-operator', 'klusterlet', 'aws-ebs-csi-driver', 'victoriametrics', 'traefik', 'argo-cd'],
  ...['envoy-gateway'],
];

/** Values that a chart needs. */
const neededValues: Readonly<Record<string, string>> = { istiod: 'global.istioNamespace=NAMESPACE' };

const releaseName = 'rel';
const corpus = process.env['CORPUS'];
const chartFolder = join(corpus ?? '', 'charts');
const change = '--skip-schema-validation --set replicaCount=2 --set-string podAnnotations.changed=yes';
const commandLines = (values: string) => [
  `install ${releaseName} @ --create-namespace ${values}`.trim(),
  `upgrade ${releaseName} @ ${change} ${values}`.trim(),
  `uninstall ${releaseName}`,
];

/** Runs a command line, in which `@` is the chart. */
type Run = (words: readonly string[]) => Promise<void>;

if (corpus) {
  const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: chartFolder }));
  const files = readdirSync(chartFolder);
  const inSlot = slots(3);
  for (const name of chartNames) {
    test(`installs, upgrades and uninstalls ${name}, and leaves what helm leaves`, (t) =>
      inSlot(async () => {
        t.timeout(600_000);
        const file = files.find(
          (other) => other.startsWith(`${name}-`) && /^v?\d[^-]*/.test(other.slice(name.length + 1)),
        );
        if (file === undefined) throw new Error(`the corpus has no chart ${name}`);
        await compareChart(t, name, file);
      }));
  }

  async function compareChart(t: ExecutionContext, name: string, file: string): Promise<void> {
    const namespaces = [freeNamespace(t, harness().cluster), freeNamespace(t, harness().cluster)] as const;
    const values = name in neededValues ? `--set ${neededValues[name]}` : '';
    const lines = commandLines(values);
    // one after the other, because some objects have the same names in both
    const ofHelm = await statesAfter(lines, namespaces[0], file, async (words) => {
      const line = words.map((word) => (word === '@' ? join(chartFolder, file) : word));
      const run = () => runHelm('helm4', ...line, '--namespace', namespaces[0]);
      const first = await run();
      const { code, stderr } = isOvertaken(line, first.stderr) ? await runAgain(namespaces[0], run) : first;
      t.is(code, 0, `${line.join(' ')}: ${stderr}`);
    });
    const ofAgent = await statesAfter(lines, namespaces[1], file, async (words) => {
      const line = words.map((word) => (word === '@' ? file : word));
      const [packet] = packetsOf(line, namespaces[1]) ?? [];
      if (packet === undefined) throw new Error(`there is no packet for ${line.join(' ')}`);
      const result = await harness().plane.send(harness().agentId, packet).result;
      t.true(result.ok, `${line.join(' ')}: ${JSON.stringify(result).slice(0, 2000)}`);
    });
    const found = ofHelm.flatMap((state, index) => compareStates(state, ofAgent[index], lines[index]));
    t.deepEqual(
      found.filter((difference) => !isWanted(difference, t.title)),
      [],
    );
  }

  /**
   * Whether helm has failed because it was early or late: it may ask for the API of a definition
   * that it has just created before it is served, and look for the Job of a hook when the control
   * plane of the cluster has deleted that already, which has ended.
   */
  function isOvertaken([command]: readonly string[], stderr: string): boolean {
    return command === 'install' && /no matches for kind|status: NotFound/.test(stderr);
  }

  /** Removes a release that was installed in part, and runs helm again. */
  async function runAgain(namespace: string, run: () => Promise<Ended>): Promise<Ended> {
    await runHelm('helm4', 'uninstall', releaseName, '--ignore-not-found', '--namespace', namespace);
    return await run();
  }

  /** Runs all lines. Returns the state after each one, and then deletes what is left. */
  async function statesAfter(lines: string[], namespace: string, file: string, run: Run): Promise<unknown[]> {
    const { cluster } = harness();
    const objects = new ChartObjects(cluster, namespace);
    await objects.addDefinitions(join(chartFolder, file));
    const running = new AbortController();
    const jobs = completeJobs(cluster, namespace, running.signal);
    const states: unknown[] = [];
    try {
      for (const line of lines) {
        await run(line.replaceAll('NAMESPACE', namespace).split(' '));
        await objects.addRelease(releaseName);
        states.push(await objects.state());
      }
    } finally {
      running.abort();
      await jobs;
      await objects.addRelease(releaseName); // of an installation that has failed
      await objects.deleteRest();
    }
    return states;
  }
} else {
  test.skip('installs charts as helm does (needs CORPUS)', (t) => t.pass());
}
