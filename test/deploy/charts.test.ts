import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { load } from 'js-yaml';
import { controlPlaneSettings } from '../../src/cli/control-plane/settings.ts';
import { runSettings } from '../../src/cli/run/settings.ts';
import { readPolicy } from '../../src/policy/policy-rules.ts';
import { manifests, renderManifest } from '../../tools/chart-manifests.ts';
import { agentValues as agent, deployCharts as charts, render, type RenderedObject } from '../support/deploy-charts.ts';

const variables = new Set<string>(
  [runSettings, controlPlaneSettings].flatMap((table) => Object.values(table).map(({ variable }) => variable)),
);
/** Variables of features that are read elsewhere. */
const otherVariables = new Set([
  ...['HELM_AGENT_LOG_LEVEL', 'HELM_AGENT_LOG_LEVEL_FILE'],
  ...['HELM_AGENT_ENROLMENT_TOKEN_FILE', 'HELM_AGENT_RIGHTS_FILE'],
]);

for (const chart of charts) {
  test(`${chart} sends traces to the endpoint of its values`, async (t) => {
    const base = chart === 'helm-agent' ? agent : {};
    const endpoint = 'http://otel-collector.monitoring:4318';
    const text = JSON.stringify(await render(chart, { ...base, tracing: { endpoint } }));
    t.true(text.includes(endpoint));
    t.true(text.includes('k8s.namespace.name=ns'));
    t.false(JSON.stringify(await render(chart, base)).includes('OTEL_'));
    await t.throwsAsync(render(chart, { ...base, tracing: { endpoint: 'collector:4318' } }), { message: /endpoint/ });
  });
}

test('the agent may list the pods and events of its namespace if its owner allows support bundles', async (t) => {
  const listed = async (rights?: string) => {
    const settings = rights === undefined ? {} : { HELM_AGENT_ALLOW_RIGHTS: rights };
    const objects = await render('helm-agent', { ...agent, settings });
    const role = objects.find(({ kind, metadata }) => kind === 'Role' && metadata.name.endsWith('-journal'));
    return role?.rules?.some(({ resources }) => resources.includes('events'));
  };
  t.true(await listed('read,deploy,support'));
  t.false(await listed('read,deploy'));
  t.false(await listed());
});

test('the agent may run programs in its namespaces, and reach their ports, if its owner allows exec', async (t) => {
  const granted = async (allowed?: string) => {
    const settings = allowed === undefined ? {} : { HELM_AGENT_ALLOW_RIGHTS: allowed };
    const rights = { mode: 'namespaces', namespaces: ['shop'] };
    const objects = await render('helm-agent', { ...agent, settings, rights });
    const role = objects.find(({ kind, metadata }) => kind === 'Role' && metadata.namespace === 'shop');
    return role?.rules?.find(({ resources }) => resources.includes('pods/exec'));
  };
  t.like(await granted('read,deploy,exec'), { resources: ['pods/exec', 'pods/portforward'], verbs: ['create', 'get'] });
  t.is(await granted('read,deploy,logs'), undefined);
  t.is(await granted(), undefined);
});

for (const manifest of manifests) {
  test(`${manifest.file} is the one that npm run manifests writes`, async (t) => {
    t.is(readFileSync(manifest.file, 'utf8'), await renderManifest(manifest));
  });
}

for (const chart of charts) {
  for (const file of readdirSync(`deploy/${chart}/ci`)) {
    test(`the pods of ${chart} with ${file} are Restricted, and use volumes and settings that exist`, async (t) => {
      const values = load(readFileSync(`deploy/${chart}/ci/${file}`, 'utf8')) as Record<string, unknown>; // a map
      const objects = await render(chart, values);
      const pods = objects.flatMap(({ kind, spec }) => (kind === 'Pod' ? (spec ?? []) : (spec?.template?.spec ?? [])));
      t.true(pods.length > 0);
      for (const { securityContext, containers, volumes = [] } of pods) {
        t.like(securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
        for (const container of containers) {
          t.like(container.securityContext, {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          for (const { name } of container.volumeMounts ?? []) {
            t.true(
              volumes.some((volume) => volume.name === name),
              name,
            );
          }
          for (const { name } of container.env ?? []) {
            if (name.startsWith('HELM_AGENT_')) t.true(variables.has(name) || otherVariables.has(name), name);
          }
          for (const argument of container.args ?? []) {
            const flag = /^--([\w-]+)=/.exec(argument)?.[1];
            if (flag !== undefined)
              t.true(
                Object.values(controlPlaneSettings).some((one) => one.flag === flag),
                flag,
              );
          }
        }
      }
      for (const { kind, data = {} } of objects) {
        if (kind !== 'ConfigMap') continue;
        for (const name of Object.keys(data)) {
          if (name.startsWith('HELM_AGENT_')) t.true(variables.has(name) || otherVariables.has(name), name);
        }
      }
    });
  }

  test(`the schema of ${chart} has all values, and refuses others`, async (t) => {
    const values = load(readFileSync(`deploy/${chart}/values.yaml`, 'utf8')) as object; // a map
    const schema = JSON.parse(readFileSync(`deploy/${chart}/values.schema.json`, 'utf8')) as { properties: object };
    t.deepEqual(
      Object.keys(schema.properties)
        .filter((name) => name !== 'global')
        .sort(),
      Object.keys(values).sort(),
    );
    const base = chart === 'helm-agent' ? agent : {};
    await t.throwsAsync(render(chart, { ...base, replicaCount: 2 }), { message: /replicaCount/ });
    await t.throwsAsync(render(chart, { ...base, image: { pullPolicy: 'Sometimes' } }), { message: /pullPolicy/ });
  });
}

test('the control plane has several replicas only with a database', async (t) => {
  const chart = 'helm-agent-control-plane';
  const database = { existingSecret: 'plane-database' };
  await t.throwsAsync(render(chart, { replicas: 2 }), { message: /replicas > 1 needs a database: .*existingSecret/ });
  await t.throwsAsync(render(chart, { replicas: 0, database }), { message: /replicas/ });
  const objects = await render(chart, { replicas: 3, database });
  t.false(objects.some(({ kind }) => kind === 'PersistentVolumeClaim'));
  const deployment = objects.find(({ kind }) => kind === 'Deployment')?.spec;
  t.is(deployment?.replicas, 3);
  const [container] = deployment?.template?.spec.containers ?? [];
  t.true(container?.args?.includes('--database-url-file=/etc/helm-agent-database/url'));
  t.true(container?.args?.includes('--replica-address=$(POD_IP):8089'));
  t.false(container?.args?.some((argument) => argument.startsWith('--data=')));
  const volumes = deployment?.template?.spec.volumes ?? [];
  t.like(
    volumes.find(({ name }) => name === 'database'),
    { secret: { secretName: 'plane-database' } },
  );
  t.truthy(volumes.find(({ name }) => name === 'data')?.['emptyDir']);
});

test('the control plane gets the keys that encrypt its data from a Secret', async (t) => {
  const objects = await render('helm-agent-control-plane', { encryption: { existingSecret: 'plane-keys' } });
  const pod = objects.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec;
  t.true(pod?.containers[0]?.args?.includes('--encryption-key-file=/etc/helm-agent-encryption/keys'));
  t.like(
    pod?.volumes?.find(({ name }) => name === 'encryption'),
    { secret: { secretName: 'plane-keys' } },
  );
});

const rulesOf = (objects: readonly RenderedObject[], kind: string) =>
  objects
    .filter((object) => object.kind === kind)
    .map(({ metadata: { name, namespace }, rules }) => ({ name, namespace, rules }));

test('an agent of one cluster has its ClusterRole, and nothing of its rights outside of it with the other modes', async (t) => {
  const bindings = async (rights: object) =>
    (await render('helm-agent', { ...agent, rights })).filter(({ kind }) => kind === 'ClusterRoleBinding').length;
  t.is(await bindings({}), 1);
  t.is(await bindings({ mode: 'namespaces', namespaces: ['shop'] }), 0);
  t.is(await bindings({ mode: 'impersonation', accounts: [{ namespace: 'shop', name: 'deployer' }] }), 0);
});

test('an agent that impersonates has its journal, its Lease, and the accounts that are named', async (t) => {
  const accounts = [
    { namespace: 'shop', name: 'deployer' },
    { namespace: 'blog', name: 'deployer' },
    { namespace: 'shop', name: 'viewer' },
  ];
  const objects = await render('helm-agent', { ...agent, rights: { mode: 'impersonation', accounts } });
  const impersonate = { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] };
  const outside = rulesOf(objects, 'Role').filter(({ namespace }) => namespace !== 'ns');
  t.deepEqual(outside, [
    {
      name: 'ns-demo-helm-agent-impersonation',
      namespace: 'blog',
      rules: [{ ...impersonate, resourceNames: ['deployer'] }],
    },
    {
      ...{ name: 'ns-demo-helm-agent-impersonation', namespace: 'shop' },
      rules: [{ ...impersonate, resourceNames: ['deployer', 'viewer'] }],
    },
  ]);
  t.deepEqual(
    rulesOf(objects, 'Role')
      .filter(({ namespace }) => namespace === 'ns')
      .flatMap(({ rules = [] }) => rules.map((rule) => rule.resources)),
    [['secrets'], ['leases']],
  );
});

test('a mode without its namespaces or accounts is refused', async (t) => {
  await t.throwsAsync(render('helm-agent', { ...agent, rights: { mode: 'namespaces' } }), {
    message: /rights.namespaces/,
  });
  await t.throwsAsync(render('helm-agent', { ...agent, rights: { mode: 'impersonation' } }), {
    message: /rights.accounts/,
  });
  await t.throwsAsync(render('helm-agent', { controlPlane: agent.controlPlane }), { message: /agentId is required/ });
  await t.throwsAsync(render('helm-agent', { agentId: 'a' }), { message: /controlPlane.url is required/ });
});

test('the one-time token is only in its Secret', async (t) => {
  const objects = await render('helm-agent', { ...agent, enrolment: { token: 'one-time-secret' } });
  const holders = objects.filter((object) => JSON.stringify(object).includes('one-time-secret'));
  t.deepEqual(
    holders.map(({ kind }) => kind),
    ['Secret'],
  );
});

test('a policy is mounted read-only as the agent reads it, from its text or from a ConfigMap of the owner', async (t) => {
  const content = readFileSync('deploy/policies/production.yaml', 'utf8');
  const mountOf = (objects: readonly RenderedObject[]): object => {
    const pod = objects.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec;
    const [container] = pod?.containers ?? [];
    return {
      file: container?.env?.find(({ name }) => name === 'HELM_AGENT_POLICY_FILE'),
      mount: container?.volumeMounts?.find(({ name }) => name === 'policy'),
      volume: pod?.volumes?.find(({ name }) => name === 'policy'),
    };
  };
  const own = await render('helm-agent', { ...agent, policy: { content } });
  const config = own.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith('-policy'));
  const mounted = config?.data?.['policy.yaml'] ?? '';
  t.is(mounted.trimEnd(), content.trimEnd());
  t.notThrows(() => readPolicy(mounted));
  t.deepEqual(mountOf(own), {
    file: { name: 'HELM_AGENT_POLICY_FILE', value: '/etc/helm-agent-policy/policy.yaml' },
    mount: { name: 'policy', mountPath: '/etc/helm-agent-policy', readOnly: true },
    volume: { name: 'policy', configMap: { name: config?.metadata.name } },
  });
  const existing = { existingConfigMap: 'owner', key: 'rules.yaml' };
  t.like(mountOf(await render('helm-agent', { ...agent, policy: existing })), {
    file: { value: '/etc/helm-agent-policy/rules.yaml' },
    volume: { configMap: { name: 'owner' } },
  });
  t.deepEqual(mountOf(await render('helm-agent', agent)), {
    file: undefined,
    mount: undefined,
    volume: undefined,
  });
  await t.throwsAsync(render('helm-agent', { ...agent, policy: { ...existing, content } }), {
    message: /exclude each other/,
  });
});

test('values that look like YAML stay text', async (t) => {
  const objects = await render('helm-agent', {
    ...agent,
    agentId: 'true',
    settings: { HELM_AGENT_LIMITS: 'a: b # c' },
  });
  const config = objects.find(({ kind }) => kind === 'ConfigMap');
  t.like(config?.data, { HELM_AGENT_AGENT_ID: 'true', HELM_AGENT_LIMITS: 'a: b # c' });
});
