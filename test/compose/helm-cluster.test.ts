import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readKubeConfig } from '../../src/cli/helm/kubeconfig.ts';
import { type HelmSettings, settingsOfEnvironment } from '../../src/cli/helm/settings.ts';
import { helmCluster } from '../../src/compose/helm-cluster.ts';
import { openReleases } from '../../src/compose/open-releases.ts';
import { openConnection } from '../../src/kube/connection.ts';

interface Kubeconfig {
  cluster?: object;
  user?: object;
  more?: object;
}

/** Writes a kubeconfig. Returns the arguments of what opens the cluster of it. */
function argumentsFor(t: ExecutionContext, { cluster, user, more }: Kubeconfig, settings: Partial<HelmSettings>) {
  const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'config');
  const config = {
    clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1', ...cluster } }],
    users: [{ name: 'u', user: { ...user } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
    ...more,
  };
  writeFileSync(path, JSON.stringify(config));
  const env = { HOME: folder };
  const all = { ...settingsOfEnvironment(env), kubeConfig: path, ...settings };
  return [env, all, () => readKubeConfig(all, env)] as const;
}

const sends = test.macro({
  async exec(t, user: object, settings: Partial<HelmSettings>, headers: object) {
    const connection = openConnection(await helmCluster(...argumentsFor(t, { user }, settings)));
    t.teardown(() => connection.close());
    t.deepEqual((await connection.prepare()).headers, headers);
  },
  title: (_, user: object, settings: object) =>
    `requests of ${JSON.stringify(user)} with ${JSON.stringify(settings)} have the headers of helm`,
});
test(
  sends,
  { as: 'bob', 'as-groups': ['g1', 'g2'], 'as-uid': '7', 'as-user-extra': { k: ['v'] } },
  {},
  {
    'Impersonate-User': 'bob',
    'Impersonate-Group': ['g1', 'g2'],
    'Impersonate-Uid': '7',
    'Impersonate-Extra-k': ['v'],
  },
);
test(
  sends,
  { as: 'bob', 'as-groups': ['g1'] },
  { kubeAsGroups: ['g9'] },
  { 'Impersonate-User': 'bob', 'Impersonate-Group': ['g9'] },
);
test(
  sends,
  { as: 'bob', 'as-groups': ['g1'] },
  { kubeAsUser: 'eve' },
  { 'Impersonate-User': 'eve', 'Impersonate-Group': ['g1'] },
);

const refuses = test.macro({
  async exec(t, config: Kubeconfig, settings: Partial<HelmSettings>, message: string) {
    await t.throwsAsync(
      openReleases(...argumentsFor(t, config, settings), () => undefined),
      { message: `kubernetes cluster unreachable: ${message}` },
    );
  },
  title: (_, config: object, settings: object) =>
    `refuses, as helm does, ${JSON.stringify(config)} with ${JSON.stringify(settings)}`,
});
const withoutUser = 'invalid configuration: requesting uid, groups or user-extra for u without impersonating a user';
test(refuses, { user: { 'as-groups': ['g'] } }, {}, withoutUser);
test(refuses, {}, { kubeAsGroups: ['g'] }, withoutUser);
