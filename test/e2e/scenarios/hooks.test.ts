import test from 'ava';
import {
  configMap,
  create,
  createNamespace,
  deployment,
  documents,
  edit,
  hookJob,
  hookMap,
  manifest,
  mapRef,
} from './manifests.ts';
import { useScenarios } from './scenario.ts';

const equal = await useScenarios();

const install = 'install site @one --create-namespace';
const lifeCycle = [install, 'upgrade site @two', 'rollback site', 'uninstall site --keep-history', 'get hooks site'];
const allEvents = 'pre-install,post-install,pre-upgrade,post-upgrade,pre-rollback,post-rollback,pre-delete,post-delete';

const policies = [
  undefined,
  'before-hook-creation',
  'hook-succeeded',
  'hook-failed',
  'hook-succeeded,hook-failed',
  'before-hook-creation,hook-succeeded',
  'before-hook-creation, hook-failed',
  'hook-succeeded,unknown',
  '',
];

for (const policy of policies) {
  const options = policy === undefined ? {} : { policy };

  test(`runs hooks of all events with the delete policy ${JSON.stringify(policy)}`, equal, {
    charts: {
      one: documents(
        configMap('map'),
        hookMap('hook', allEvents, options),
        hookJob('job', 'post-install,post-delete', options),
      ),
      two: documents(
        configMap('map', { a: '1' }),
        hookMap('hook', allEvents, options),
        hookJob('job2', 'pre-upgrade', options),
      ),
    },
    steps: lifeCycle,
  });

  test(`a hook with the delete policy ${JSON.stringify(policy)} fails`, equal, {
    charts: {
      one: documents(
        configMap('map'),
        hookMap('first', 'pre-install,pre-upgrade', { weight: -1, ...options }),
        hookJob('job', 'pre-install,pre-upgrade', { args: ['fail'], ...options }),
        hookMap('last', 'pre-install,pre-upgrade', { weight: 1, ...options }),
      ),
    },
    steps: [install, 'upgrade site @one', 'history site -o json', 'get hooks site', 'uninstall site'],
  });
}

test('runs hooks by weight and name', equal, {
  charts: {
    one: documents(
      hookMap('b', 'pre-install', { weight: 5 }),
      hookMap('a', 'pre-install', { weight: 5 }),
      hookMap('c', 'pre-install', { weight: -10 }),
      hookMap('d', 'pre-install'),
      hookMap('e', 'post-install', { weight: 1 }),
      hookMap('f', 'post-install,post-upgrade'),
      manifest('v1', 'ConfigMap', 'g', {
        metadata: { annotations: { 'helm.sh/hook': 'pre-install', 'helm.sh/hook-weight': 'heavy' } },
      }),
      manifest('v1', 'Secret', 'a-secret', { metadata: { annotations: { 'helm.sh/hook': 'pre-install' } } }),
    ),
    two: documents(
      hookMap('z', 'pre-upgrade', { weight: 2 }),
      hookMap('y', 'pre-upgrade', { weight: 10 }),
      hookMap('f', 'post-upgrade'),
    ),
  },
  steps: [`${install} -o json`, 'upgrade site @two -o json', 'get hooks site', 'get hooks site --revision 1'],
});

test('leaves hooks out on request', equal, {
  charts: {
    one: documents(configMap('map'), hookMap('hook', allEvents)),
    two: documents(configMap('map', { a: '1' }), hookMap('hook', allEvents)),
  },
  steps: [
    `${install} --no-hooks`,
    'upgrade site @two --no-hooks',
    'rollback site --no-hooks',
    'uninstall site --no-hooks --keep-history',
    'get all site',
  ],
});

test('an annotation without a known event, and several annotations for hooks', equal, {
  charts: {
    one: documents(
      hookMap('unknown', 'pre-something'),
      hookMap('mixed', 'pre-install,pre-something'),
      hookMap('empty', ''),
      hookMap('spaces', ' pre-install , post-install '),
      hookMap('upper', 'Pre-Install'),
      hookMap('tested', 'test-success'),
      hookMap('failing-test', 'test-failure'),
      hookMap('crd', 'crd-install'),
      configMap('map'),
    ),
  },
  steps: [install, 'get hooks site', 'get manifest site', 'upgrade site @one', 'uninstall site'],
});

test('a hook that exists already', equal, {
  charts: {
    one: documents(hookMap('hook', 'pre-install,pre-upgrade', { policy: 'hook-succeeded' }), configMap('map')),
    two: documents(hookMap('left', 'post-upgrade', { policy: 'hook-failed' }), configMap('map')),
    three: documents(hookMap('map', 'pre-upgrade')),
  },
  steps: [
    createNamespace,
    create(configMap('hook', { theirs: 'x' })),
    'install site @one',
    'upgrade site @two',
    'upgrade site @two',
    'upgrade site @three',
    'uninstall site',
  ],
});

test('a hook becomes an object, and an object a hook', equal, {
  charts: {
    one: documents(hookMap('hook', 'pre-install'), configMap('map')),
    two: documents(configMap('hook', { a: '1' }), configMap('map')),
    three: documents(configMap('hook', { a: '1' }), hookMap('map', 'pre-upgrade')),
  },
  steps: [install, 'upgrade site @two', 'upgrade site @three', 'upgrade site @two', 'uninstall site'],
});

test('hooks of kinds that are not waited for', equal, {
  charts: {
    one: documents(
      manifest('v1', 'ServiceAccount', 'account', {
        metadata: { annotations: { 'helm.sh/hook': 'pre-install', 'helm.sh/hook-weight': '-5' } },
      }),
      deployment('web').replace(
        '"metadata":{"name":"web"}',
        '"metadata":{"name":"web","annotations":{"helm.sh/hook":"pre-install"}}',
      ),
      hookJob('job', 'post-install', { policy: 'hook-succeeded' }),
    ),
  },
  steps: [install, 'uninstall site'],
});

test('a hook that the API server refuses', equal, {
  charts: {
    one: documents(configMap('map'), hookMap('Not_A_Name', 'pre-install')),
    good: documents(configMap('map'), hookMap('first', 'post-install')),
    two: documents(
      configMap('map', { a: '1' }),
      hookMap('first', 'post-upgrade'),
      hookMap('Not_A_Name', 'post-upgrade', { weight: 1 }),
    ),
    unknown: documents(
      configMap('map'),
      manifest('example.com/v1', 'Nothing', 'x', { metadata: { annotations: { 'helm.sh/hook': 'pre-upgrade' } } }),
    ),
  },
  steps: [
    install,
    'uninstall site',
    'install site @good',
    'upgrade site @two',
    'upgrade site @unknown',
    'rollback site 1',
  ],
});

for (const event of ['post-install', 'pre-delete', 'post-delete', 'post-upgrade', 'pre-rollback', 'post-rollback']) {
  test(`a failing ${event} hook`, equal, {
    charts: {
      one: documents(configMap('map'), hookJob('job', event, { args: ['fail'] })),
      two: documents(configMap('map', { a: '1' }), hookJob('job', event, { args: ['fail'] }), configMap('new')),
    },
    steps: [install, 'upgrade site @two', 'rollback site', 'history site -o json', 'uninstall site', 'uninstall site'],
  });
}

test('a failing hook of an atomic upgrade', equal, {
  charts: {
    one: documents(configMap('map'), hookMap('before', 'pre-rollback')),
    two: documents(configMap('map', { a: '1' }), configMap('new'), hookJob('job', 'post-upgrade', { args: ['fail'] })),
    three: documents(configMap('map', { a: '2' }), hookJob('job', 'pre-upgrade', { args: ['fail'] })),
  },
  steps: [
    `${install} --rollback-on-failure --timeout 60s`,
    'upgrade site @two --rollback-on-failure --timeout 60s',
    'upgrade site @three --rollback-on-failure --timeout 60s',
    'history site -o json',
  ],
});

test('a failing hook of an atomic installation', equal, {
  charts: {
    one: documents(
      configMap('map'),
      hookMap('before', 'pre-install'),
      hookJob('job', 'post-install', { args: ['fail'] }),
      hookMap('after', 'pre-delete,post-delete'),
    ),
  },
  steps: [`${install} --rollback-on-failure --timeout 60s`, 'history site'],
});

test('tests are hooks: deleted by policy, and again', equal, {
  charts: {
    one: documents(
      configMap('map'),
      hookJob('job', 'test', { policy: 'hook-succeeded', weight: 1 }),
      hookMap('data', 'test', { weight: -1 }),
      hookJob('failing', 'test', { args: ['fail'], weight: 5, policy: 'hook-failed' }),
      hookMap('never', 'test', { weight: 9 }),
    ),
  },
  steps: [
    install,
    'test site --filter name=job',
    'test site --filter name=job,name=data',
    'test site --filter !name=failing',
    'test site --filter name=none',
    edit(mapRef('data'), { data: { theirs: 'x' } }),
    'test site --filter name=data',
    'status site -o json',
    'get hooks site',
  ],
});
