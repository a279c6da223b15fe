import type { ExecutionContext } from 'ava';
import test from 'ava';
import type { SentCommand } from '../../src/control-plane/index.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import { sampleRelease } from '../release/sample-release.ts';
import { realHost } from '../support/host.ts';
import { agentId, type AgentUnderAttack, startAgentUnderAttack } from './support/agent-under-attack.ts';

const starting = prepare();
test.after.always(async () => (await starting).close());

const victims = [
  ...['one', 'two'].map((name) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'team', name } })),
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'settings' } },
];

/** Starts an agent whose cluster has objects that no release may touch. */
async function prepare(): Promise<AgentUnderAttack> {
  const agent = await startAgentUnderAttack();
  await agent.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  for (const victim of victims) await agent.cluster.create(victim);
  // the first release of a namespace labels it
  await agent.plane.install(agentId, { releaseName: 'first', chartName: 'small' }).result;
  return agent;
}

/** Returns what an attack could delete or change: all namespaces, and the victims. */
async function untouched({ cluster }: AgentUnderAttack): Promise<unknown> {
  const namespaces = await cluster.list({ apiVersion: 'v1', kind: 'Namespace' });
  const objects = await Promise.all(
    victims.map(({ apiVersion, kind, metadata }) => cluster.get({ apiVersion, kind, ...metadata })),
  );
  const seen = (object: KubeObject | undefined) => [
    object?.metadata.name,
    object?.metadata.uid,
    object?.metadata.resourceVersion,
  ];
  return [...namespaces, ...objects].map(seen);
}

async function assertUntouched(
  t: ExecutionContext,
  agent: AgentUnderAttack,
  input: string,
  send: () => SentCommand,
  measured = false,
): Promise<void> {
  const before = await untouched(agent);
  if (measured) await agent.withstands(t, input, () => [send()], 'invalid_name');
  else {
    const result = await send().result;
    t.is(result.ok ? 'ok' : result.error.code, 'invalid_name', input);
  }
  t.deepEqual(await untouched(agent), before);
}

const badNames = ['.', '..', 'a/b', '../../namespaces/team', '%2e', '%2e%2e'];

function object(kind: string, metadata: object): string {
  return `${JSON.stringify({ apiVersion: 'v1', kind, metadata })}\n`;
}

const hookAnnotations = { 'helm.sh/hook': 'pre-install,post-delete,pre-delete' };

/** Manifests with one name that cannot be a part of a path. */
const manifests: [what: string, manifest: (bad: string) => string][] = [
  ['a hook with the name', (bad) => object('Secret', { name: bad, namespace: 'team', annotations: hookAnnotations })],
  ['a hook in the namespace', (bad) => object('Secret', { name: 'one', namespace: bad, annotations: hookAnnotations })],
  ['a namespace as a hook', (bad) => object('Namespace', { name: bad, annotations: hookAnnotations })],
  ['a resource with the name', (bad) => object('Secret', { name: bad, namespace: 'team' })],
  ['a resource in the namespace', (bad) => object('Secret', { name: 'one', namespace: bad })],
];

for (const [index, [what, manifest]] of manifests.entries()) {
  test.serial(`${what} '.' and the like is refused before anything changes`, async (t) => {
    const agent = await starting;
    const files = badNames.map(
      (bad, at) => [`templates/${at}.yaml`, `{{ if eq .Values.at "${at}" }}\n${manifest(bad)}{{ end }}\n`] as const,
    );
    await agent.addChart(`bad-${index}`, Object.fromEntries(files));
    // every template has a name of its own besides `..`
    for (const [at, bad] of badNames.entries()) {
      if (bad !== '..' && at !== (index === 1 ? 5 : index)) continue;
      await assertUntouched(
        t,
        agent,
        `${what} ${bad}`,
        () => agent.plane.install(agentId, { releaseName: 'bad', chartName: `bad-${index}`, values: `at: "${at}"` }),
        at === 1,
      );
    }
    t.deepEqual(await agent.cluster.list({ apiVersion: 'v1', kind: 'Secret', labelSelector: 'name=bad' }), []);
  });
}

for (const [what, manifest] of manifests) {
  test.serial(`${what} '.' in a stored release is refused on uninstall and upgrade`, async (t) => {
    const agent = await starting;
    const storage = openStorage('secret', {
      cluster: agent.cluster,
      host: realHost,
      onUnreadable: (error) => t.fail(error.message),
    });
    const release = sampleRelease('planted', 1, 'deployed');
    const text = `---\n# Source: x/templates/a.yaml\n${manifest('..')}`;
    const planted = what.includes('hook')
      ? {
          ...release,
          manifest: '',
          hooks: [
            {
              name: 'innocent',
              kind: 'Secret',
              path: 'a',
              manifest: text,
              events: ['pre-delete', 'post-delete', 'pre-upgrade'],
              last_run: { phase: '' },
            },
          ],
        }
      : { ...release, manifest: text };
    await storage.create(planted, {});
    const name = { namespace: 'default', releaseName: 'planted' };
    await assertUntouched(t, agent, `a stored release: ${what}`, () => agent.plane.uninstall(agentId, name));
    if (!what.includes('hook')) {
      await assertUntouched(t, agent, `an upgrade of ${what}`, () =>
        agent.plane.upgrade(agentId, { ...name, chartName: 'small' }),
      );
    }
    const left = await storage.get({ namespace: 'default', name: 'planted', version: 1 });
    t.is(left?.release.info.status, 'deployed');
    if (left) await storage.delete(left);
  });
}

test.serial('lookup of a name that is not one segment fails the template', async (t) => {
  const agent = await starting;
  await agent.addChart('lookup', {
    'templates/a.yaml': 'a: {{ lookup "v1" "Secret" "default" "../../namespaces/team" | toJson }}\n',
  });
  const command = agent.plane.install(agentId, { releaseName: 'looks', chartName: 'lookup' });
  const result = await command.result;
  t.false(result.ok);
  t.regex(JSON.stringify(result), /invalid resource name/);
});

for (const bad of ['.', '..', 'a/b', '%2e', '']) {
  test.serial(`commands with the namespace or release name ${JSON.stringify(bad)} are refused`, async (t) => {
    const agent = await starting;
    const { plane } = agent;
    const before = await untouched(agent);
    const inNamespace = { namespace: bad, releaseName: 'a' };
    const named = { namespace: 'team', releaseName: bad };
    const byNamespace = () => [
      plane.install(agentId, { ...inNamespace, chartName: 'small' }),
      plane.upgrade(agentId, { ...inNamespace, chartName: 'small' }),
      plane.uninstall(agentId, inNamespace),
      plane.get(agentId, inNamespace),
      plane.list(agentId, { namespace: bad }),
    ];
    for (const command of [
      // an empty namespace is the default one, as in Helm
      ...(bad === '' ? [] : byNamespace()),
      plane.install(agentId, { ...named, chartName: 'small' }),
      plane.upgrade(agentId, { ...named, chartName: 'small' }),
      plane.uninstall(agentId, named),
      plane.get(agentId, named),
      plane.deploymentInfo(agentId, { namespace: 'team', deploymentName: bad }),
    ]) {
      const result = await command.result;
      t.false(result.ok);
      if (!result.ok) t.regex(result.error.code, /^(invalid_|bad_payload$)/);
    }
    t.deepEqual(await untouched(agent), before);
  });
}
