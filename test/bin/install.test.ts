import test, { type ExecutionContext } from 'ava';
import type { CommandEvent, SentCommand, Status } from '../../src/control-plane/index.ts';
import { dialAgent } from './support/client.ts';
import { agentId, answerOf, contentsOf, failureOf, startWorld } from './support/world.ts';

const world = startWorld({ listen: { host: '127.0.0.1', port: 0 } });
test.after.always(async () => (await world).close());

/** Parameters of the example chart, in a namespace of its own. */
const web = (namespace: string, values = '') => ({ releaseName: 'shop', namespace, chartName: 'web', values });
const shop = (namespace: string) => ({ releaseName: 'shop', namespace });

/** Returns all status packets of a command after it has ended. */
async function statusesOf(command: SentCommand): Promise<Status[]> {
  const events: CommandEvent[] = [];
  for await (const event of command) events.push(event);
  return events.flatMap((event) => (event.type === 'status' ? [event.payload] : []));
}

/** Returns the steps that ended, in order, with their final states. */
function endsOf(statuses: Status[]): string[] {
  return statuses.filter(({ state }) => state !== 'running').map(({ step, state }) => `${step} ${state}`);
}

/** Returns the reported states of the resources of a kind, in order. */
function reportsOf(statuses: Status[], kind: string): string[] {
  return statuses
    .flatMap(({ resources = [] }) => resources)
    .filter((resource) => resource.kind === kind)
    .map(({ status, reason }) => (reason === undefined ? status : `${status}: ${reason}`));
}

/** Returns the number, status and description of a revision. */
async function stateOf(namespace: string, version?: number): Promise<unknown[]> {
  const { plane } = await world;
  const command = plane.get(agentId, { ...shop(namespace), ...(version !== undefined && { version }) });
  const { release } = await answerOf(command);
  return [release.version, release.info.status, release.info.description];
}

async function imageIn(namespace: string): Promise<unknown> {
  const { cluster } = await world;
  const object = await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'shop-web' });
  const { spec } = object as unknown as { spec: { template: { spec: { containers: { image: string }[] } } } };
  return spec.template.spec.containers[0]?.image;
}

async function installed(namespace: string): Promise<void> {
  await answerOf((await world).plane.install(agentId, web(namespace, 'migration: {enabled: false}')));
}

test('an installation reports its steps, and the resources it waits for with the reason', async (t) => {
  const { plane, cluster } = await world;
  const command = plane.install(agentId, web('steps', 'args: [serve, -after, 60s]\nmigration: {args: [sleep, 50s]}\n'));
  const statuses = await statusesOf(command);
  t.deepEqual(endsOf(statuses), [
    'load done',
    'crds skipped',
    'capabilities done',
    'render done',
    'check done',
    'namespace done',
    'record done',
    'pre-hooks skipped',
    'apply done',
    'wait done',
    'post-hooks skipped',
    'finish done',
  ]);
  t.deepEqual(
    statuses.map(({ seq }) => seq),
    statuses.map((_, index) => index + 1),
  );
  t.true(reportsOf(statuses, 'Deployment').includes('InProgress: Available: 0/1'));
  for (const kind of ['ConfigMap', 'Service', 'Deployment', 'Job']) t.is(reportsOf(statuses, kind).at(-1), 'Current');
  t.true(reportsOf(statuses, 'Job').includes('InProgress: Job in progress'));

  const { release } = await answerOf(command);
  t.like(release, {
    name: 'shop',
    namespace: 'steps',
    version: 1,
    config: { migration: { args: ['sleep', '50s'] } },
    chart: { metadata: { name: 'web', version: '1.0.0' } },
    info: { status: 'deployed', description: 'Install complete' },
  });
  t.deepEqual(await contentsOf(cluster, 'steps'), [
    'ConfigMap/shop-web',
    'Deployment/shop-web',
    'Job/shop-web-migration-1',
    'Secret/sh.helm.release.v1.shop.v1',
    'Service/shop-web',
  ]);
  const info = await answerOf(plane.deploymentInfo(agentId, { namespace: 'steps', deploymentName: 'shop-web' }));
  t.like(info.deployment, { kind: 'Deployment', metadata: { name: 'shop-web' }, status: { availableReplicas: 1 } });
});

test('an upgrade creates a revision, and the earlier one can still be read', async (t) => {
  const { plane } = await world;
  await installed('upgrade');
  await answerOf(plane.upgrade(agentId, web('upgrade', 'image: app:2\nmigration: {enabled: false}\n')));
  t.is(await imageIn('upgrade'), 'app:2');
  t.deepEqual(await stateOf('upgrade'), [2, 'deployed', 'Upgrade complete']);
  t.deepEqual(await stateOf('upgrade', 1), [1, 'superseded', 'Install complete']);
  const { releases } = await answerOf(plane.list(agentId, { namespace: 'upgrade' }));
  t.like(releases, [{ name: 'shop', namespace: 'upgrade', version: 2, info: { status: 'deployed' } }]);
  t.is(releases.length, 1);
});

test('an upgrade to an image that cannot be pulled is rolled back with the reason', async (t) => {
  const { plane, cluster } = await world;
  await installed('rollback');
  const values = 'image: app:missing\nmigration: {enabled: false}\n';
  const command = plane.upgrade(agentId, { ...web('rollback', values), timeout: '2m' });
  const statuses = await statusesOf(command);
  const pullFails = /(ErrImagePull|Failed): .*pull.* "(docker.io\/library\/)?app:missing".* \(.*pod shop-web-\S+\)/;
  t.regex(reportsOf(statuses, 'Deployment').join('\n'), pullFails);
  t.deepEqual(endsOf(statuses).slice(-2), ['wait failed', 'rollback done']);
  const { code, message } = await failureOf(command);
  t.is(code, 'not_ready');
  t.regex(message, /^release shop failed, and has been rolled back due to rollback-on-failure being set: resource/);
  t.regex(message, pullFails);

  t.is(await imageIn('rollback'), 'localhost/app:1');
  t.deepEqual(await stateOf('rollback'), [3, 'deployed', 'Rollback to 1']);
  t.is((await stateOf('rollback', 2))[1], 'failed');
  t.deepEqual(
    (await contentsOf(cluster, 'rollback')).filter((name) => !name.startsWith('Secret/')),
    ['ConfigMap/shop-web', 'Deployment/shop-web', 'Service/shop-web'],
  );
});

test('an installation whose Job fails is uninstalled immediately with the reason', async (t) => {
  const { plane, cluster } = await world;
  const command = plane.install(agentId, web('undone', 'migration: {enabled: true, args: [fail]}'));
  const statuses = await statusesOf(command);
  t.deepEqual(endsOf(statuses).slice(-2), ['wait failed', 'uninstall done']);
  const { code, message } = await failureOf(command);
  t.is(code, 'not_ready');
  t.regex(message, /^release shop failed, and has been uninstalled due to rollback-on-failure being set: /);
  t.regex(message, /Job\/undone\/shop-web-migration-1 not ready\. status: Failed, message: /);
  t.deepEqual(await contentsOf(cluster, 'undone'), []);
  t.deepEqual((await answerOf(plane.list(agentId, { namespace: 'undone' }))).releases, []);
});

test('a failed installation stays as failed without atomic', async (t) => {
  const { plane, cluster } = await world;
  const parameters = { ...web('kept', 'migration: {enabled: true, args: [fail]}'), atomic: false };
  const { code, message } = await failureOf(plane.install(agentId, parameters));
  t.is(code, 'not_ready', message);
  t.regex(message, /shop-web-migration-1/);
  t.is((await stateOf('kept'))[1], 'failed');
  t.true((await contentsOf(cluster, 'kept')).includes('Deployment/shop-web'));
});

test('an uninstallation deletes everything and returns the release', async (t) => {
  const { plane, cluster } = await world;
  await installed('gone');
  const { release } = await answerOf(plane.uninstall(agentId, shop('gone')));
  t.like(release, {
    name: 'shop',
    namespace: 'gone',
    version: 1,
    info: { status: 'uninstalled', description: 'Uninstallation complete' },
  });
  t.deepEqual(await contentsOf(cluster, 'gone'), []);
  t.is((await failureOf(plane.get(agentId, shop('gone')))).code, 'release_not_found');
  t.is((await failureOf(plane.uninstall(agentId, shop('gone')))).code, 'release_not_found');
});

test('a name in use is refused, or upgraded if requested', async (t) => {
  const { plane } = await world;
  const parameters = { ...web('either', 'migration: {enabled: false}'), upgrade: true };
  await answerOf(plane.install(agentId, parameters));
  t.is((await failureOf(plane.install(agentId, web('either')))).code, 'release_exists');
  await answerOf(plane.install(agentId, { ...parameters, description: 'again' }));
  t.deepEqual(await stateOf('either'), [2, 'deployed', 'again']);
});

async function sendKeyed(t: ExecutionContext, key: string, payload: object) {
  // like a control plane that has lost the command in a restart and sends it again
  const { agent } = await world;
  const client = await dialAgent(t, agent.port, ['helm-agent.v1']);
  client.send({ key, type: 'install_release', payload: JSON.stringify(payload) });
  const result = await client.packet(({ type }) => type === 'result');
  const accepted = await client.packet(({ type }) => type === 'accepted');
  return { result, accepted: JSON.parse(accepted.payload ?? '') as object };
}

test('a repeated key gets the same result, and nothing is performed again', async (t) => {
  const payload = web('repeated', 'migration: {enabled: false}');
  const first = await sendKeyed(t, 'k1', payload);
  t.deepEqual(first.accepted, { durable: false });
  const second = await sendKeyed(t, 'k1', payload);
  t.deepEqual(second.accepted, { durable: false, repeated: true });
  t.deepEqual(second.result, first.result);
  t.deepEqual(await stateOf('repeated'), [1, 'deployed', 'Install complete']);
});
