import test from 'ava';
import type { CommandType, ControlPlane, SentCommand } from '../../src/control-plane/index.ts';
import { rights } from '../../src/protocol/commands/definition.ts';
import { tillerRecord } from '../release/helm2/tiller-record.ts';
import { chart, mapped, ownRequest, release, rightsWorld } from './support/rights-world.ts';
import { agentId, answerOf } from './support/world.ts';

/** Commands that send no request as an account: to the router, and about the agent itself. */
type OfTheAgent = 'cancel_command' | 'get_policy' | 'get_sealing_key' | 'support_bundle' | 'upgrade_agent';

interface Sent {
  send: (plane: ControlPlane) => SentCommand | Promise<SentCommand>;
  /** The code with which it fails, because a pod or a policy is missing. Default: none. */
  fails?: string;
  /** A request that it sends as the account. Default: any. Undefined: none is needed. */
  request?: RegExp | undefined;
}

const set = { namespace: 'shop', releaseName: 'set' };
const web = { namespace: 'shop', kind: 'Deployment', name: 'web' };
const manifests = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: set }\n';

/** Ends the input of a command's stream, and reads what it sends. */
async function read(plane: ControlPlane, command: SentCommand): Promise<SentCommand> {
  const stream = await plane.openStream(command.key);
  stream.on('error', () => undefined).end();
  stream.resume();
  return command;
}

/** In the order of their life: each needs what those before it have left. */
const commands: Readonly<Record<Exclude<CommandType, OfTheAgent>, readonly Sent[]>> = {
  template_release: [{ send: (plane) => plane.template(agentId, chart) }],
  plan_release: [{ send: (plane) => plane.plan(agentId, { action: 'install', ...chart, createNamespace: false }) }],
  apply_plan: [
    {
      async send(plane) {
        const { plan } = await answerOf(
          plane.plan(agentId, { action: 'install', ...chart, releaseName: 'planned', createNamespace: false }),
        );
        return plane.applyPlan(agentId, { plan });
      },
    },
    { send: (plane) => plane.uninstall(agentId, { ...release, releaseName: 'planned' }) },
  ],
  get_plan: [
    {
      async send(plane) {
        const { plan } = await answerOf(plane.plan(agentId, { action: 'install', ...chart, createNamespace: false }));
        return plane.getPlan(agentId, { plan });
      },
    },
  ],
  // it reads the policy and the plan, which the agent keeps
  approve_plan: [
    {
      send: (plane) => plane.approvePlan(agentId, { plan: 'shop/web@3f9c2a7b81d4', approval: '{}' }),
      fails: 'forbidden',
      request: undefined,
    },
  ],
  install_release: [{ send: (plane) => plane.install(agentId, { ...chart, createNamespace: false, logs: true }) }],
  upgrade_release: [
    { send: (plane) => plane.upgrade(agentId, { ...chart, values: 'value: two', logs: true }) },
    { send: (plane) => plane.upgrade(agentId, { ...chart, values: 'value: three', serverSide: false }) },
    { send: (plane) => plane.upgrade(agentId, { ...chart, dryRun: 'server' }) },
  ],
  diff_release: [{ send: (plane) => plane.diff(agentId, { ...chart, values: 'value: four' }) }],
  rollback_release: [{ send: (plane) => plane.rollback(agentId, release) }],
  test_release: [{ send: (plane) => plane.test(agentId, { ...release, logs: true }) }],
  get_release: [{ send: (plane) => plane.get(agentId, release) }],
  release_history: [{ send: (plane) => plane.history(agentId, release) }],
  release_status: [{ send: (plane) => plane.status(agentId, release) }],
  watch_release: [{ send: (plane) => plane.watch(agentId, { ...release, timeout: '1s' }), request: undefined }],
  list_releases: [{ send: (plane) => plane.list(agentId, { namespace: 'shop' }) }],
  drift_release: [{ send: (plane) => plane.drift(agentId, release) }],
  correct_release: [
    { send: (plane) => plane.correct(agentId, release) },
    { send: (plane) => plane.correct(agentId, { ...release, watch: true, timeout: '1s' }) },
  ],
  deployment_info: [{ send: (plane) => plane.deploymentInfo(agentId, { namespace: 'shop', deploymentName: 'web' }) }],
  cluster_info: [{ send: (plane) => plane.clusterInfo(agentId, { namespace: 'shop' }) }],
  get_object: [{ send: (plane) => plane.getObject(agentId, web) }],
  list_objects: [{ send: (plane) => plane.listObjects(agentId, { kind: 'pods', namespace: 'shop' }) }],
  watch_objects: [{ send: (plane) => plane.watchObjects(agentId, { kind: 'pods', namespace: 'shop', timeout: '1s' }) }],
  describe_object: [{ send: (plane) => plane.describeObject(agentId, web) }],
  list_events: [
    { send: (plane) => plane.listEvents(agentId, { namespace: 'shop' }) },
    { send: (plane) => plane.listEvents(agentId, { namespace: 'shop', releaseName: 'web' }) },
  ],
  // the cluster has no metrics API
  top: [{ send: (plane) => plane.top(agentId, { namespace: 'shop' }), fails: 'unsupported' }],
  pod_logs: [
    { send: (plane) => read(plane, plane.podLogs(agentId, { namespace: 'shop', name: 'deploy/web' })) },
    { send: (plane) => read(plane, plane.podLogs(agentId, { namespace: 'shop', releaseName: 'web' })) },
  ],
  exec_pod: [
    {
      send: (plane) => read(plane, plane.execPod(agentId, { namespace: 'shop', name: 'deploy/web', command: ['id'] })),
      fails: 'unreachable',
      request: /\/exec\?/,
    },
  ],
  port_forward: [
    {
      send: (plane) => read(plane, plane.portForward(agentId, { namespace: 'shop', name: 'deploy/web', port: 80 })),
      fails: 'unreachable',
      request: /\/portforward/,
    },
  ],
  restart_workload: [{ send: (plane) => plane.restartWorkload(agentId, web) }],
  scale_workload: [{ send: (plane) => plane.scaleWorkload(agentId, { ...web, replicas: 2 }) }],
  pause_rollout: [{ send: (plane) => plane.pauseRollout(agentId, { namespace: 'shop', name: 'web' }) }],
  resume_rollout: [{ send: (plane) => plane.resumeRollout(agentId, { namespace: 'shop', name: 'web' }) }],
  delete_pod: [
    {
      async send(plane) {
        const { objects } = await answerOf(plane.listObjects(agentId, { kind: 'pods', namespace: 'shop' }));
        const [pod] = objects.map(({ object }) => object as { metadata: { name: string } }); // a pod
        return plane.deletePod(agentId, { namespace: 'shop', name: pod?.metadata.name ?? '' });
      },
    },
  ],
  run_job: [{ send: (plane) => plane.runJob(agentId, { namespace: 'shop', name: 'nightly' }) }],
  stop_release: [{ send: (plane) => plane.stopRelease(agentId, release) }],
  start_release: [{ send: (plane) => plane.startRelease(agentId, release) }],
  uninstall_release: [{ send: (plane) => plane.uninstall(agentId, release) }],
  apply_manifests: [
    { send: (plane) => plane.applyManifests(agentId, { ...set, manifests, createNamespace: false, dryRun: true }) },
    { send: (plane) => plane.applyManifests(agentId, { ...set, manifests, createNamespace: false }) },
  ],
  delete_manifests: [{ send: (plane) => plane.deleteManifests(agentId, set) }],
  adopt_release: [
    { send: (plane) => plane.adopt(agentId, { ...release, releaseName: 'old', tillerNamespace: 'shop' }) },
  ],
};

test('every request of every command carries the service account of the command', async (t) => {
  t.timeout(180_000, 'it performs all commands');
  const { plane, api, cluster } = await rightsWorld(t, mapped, { allowedRights: rights });
  await cluster.create({
    ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'nightly', namespace: 'shop' } },
    spec: {
      schedule: '0 0 * * *',
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'busybox' }] } } },
      },
    },
  });
  await cluster.create(tillerRecord('shop', { name: 'old', namespace: 'shop', version: 1 }));

  const user = 'system:serviceaccount:shop:deployer';
  for (const [type, all] of Object.entries(commands)) {
    for (const [index, { send, fails, ...given }] of all.entries()) {
      const name = `${type}, ${index}`;
      const before = api.requests.length;
      const result = await (await send(plane)).result;
      t.is(result.ok ? undefined : result.error.code, fails, `${name}: ${JSON.stringify(result)}`);
      const sent = api.requests.map((request, at) => ({ request, user: api.users[at] })).slice(before);
      const others = sent.filter((one) => one.user !== user && !ownRequest.test(one.request));
      t.deepEqual(others, [], name);
      const ofAccount = sent.filter((one) => one.user === user);
      const expected = 'request' in given ? given.request : /./;
      const isSent = ofAccount.some(({ request }) => expected?.test(request) ?? true);
      t.true(isSent || expected === undefined, `${name} sends ${String(expected)}`);
      const ofJournal = ofAccount.filter(({ request }) => request.includes('/namespaces/default/'));
      t.deepEqual(ofJournal, [], `${name}: an account reaches for the namespace of the agent`);
    }
  }
  const labelSelector = 'app.kubernetes.io/managed-by=Helm';
  t.deepEqual(await cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', labelSelector }), []);
});
