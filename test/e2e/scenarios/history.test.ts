import test from 'ava';
import { configMap, createNamespace, documents, edit, mapRef, remove, service } from './manifests.ts';
import { setStatus } from './records.ts';
import { useScenarios } from './scenario.ts';

const equal = await useScenarios();

const install = 'install site @one --create-namespace';
const charts = {
  one: documents(configMap('map', { a: '1', b: '1' }), configMap('first')),
  two: documents(configMap('map', { a: '2', c: '2' }), service('web')),
  three: documents(configMap('map', { a: '3' }), configMap('third')),
  bad: documents(configMap('map', { a: '4' }), configMap('Not_A_Name')),
};

for (const mode of ['true', 'false']) {
  test(`rolls back to the first, the last and the one before, --server-side=${mode}`, equal, {
    charts,
    steps: [
      `${install} --server-side=${mode}`,
      'upgrade site @two --description second',
      'upgrade site @three',
      'rollback site',
      'rollback site 1',
      'rollback site 3',
      'rollback site 6',
      'rollback site 6 --dry-run=server',
      'history site -o json',
      'history site --max 2',
      'get all site',
    ],
  });
}

for (const limit of [0, 1, 2, 3]) {
  test(`keeps ${limit} revisions`, equal, {
    charts,
    steps: [
      install,
      `upgrade site @two --history-max ${limit}`,
      `upgrade site @bad --history-max ${limit}`,
      `upgrade site @bad --history-max ${limit}`,
      `upgrade site @three --history-max ${limit}`,
      `rollback site --history-max ${limit}`,
      'history site -o json',
      'uninstall site --keep-history',
      'history site -o json',
    ],
  });
}

test('the history of an uninstalled release', equal, {
  charts,
  steps: [
    install,
    'upgrade site @two',
    'uninstall site --keep-history --description gone',
    'status site',
    'status site -o json',
    'get all site',
    'get values site --revision 1',
    'list -o json',
    'list --uninstalled -o json',
    'upgrade site @three',
    'install site @three',
    'rollback site 1',
    'uninstall site',
    'history site',
  ],
});

test('installs again with --replace', equal, {
  charts,
  steps: [
    install,
    'install site @two --replace',
    'uninstall site --keep-history',
    'install site @two --replace --description again',
    'uninstall site --keep-history',
    'install site @three --replace -l a=1',
    'history site -o json',
    'rollback site 1',
    'list -o json',
  ],
});

test('replaces an installation that failed', equal, {
  charts,
  steps: [
    'install site @bad --create-namespace',
    'install site @one',
    'install site @one --replace',
    'upgrade site @bad',
    'install site @two --replace',
    'history site -o json',
  ],
});

test('upgrade --install of releases in all states', equal, {
  charts,
  steps: [
    'upgrade site @bad --install --create-namespace',
    'upgrade site @one --install',
    'upgrade site @two --install --description two',
    'uninstall site --keep-history',
    'upgrade site @three --install -o json',
    'history site -o json',
  ],
});

for (const status of [
  'pending-install',
  'pending-upgrade',
  'pending-rollback',
  'uninstalling',
  'unknown',
  'failed',
  'superseded',
]) {
  test(`a release that is ${status}`, equal, {
    charts,
    steps: [
      install,
      'upgrade site @two',
      setStatus('site', 2, status),
      'status site -o json',
      'list -o json',
      'list --pending -o json',
      'upgrade site @three',
      'install site @three',
      'install site @three --replace',
      'upgrade site @three --install',
      'rollback site 1',
      'uninstall site',
    ],
  });
}

test('the only revision is pending', equal, {
  charts,
  steps: [
    install,
    setStatus('site', 1, 'pending-install'),
    'upgrade site @two',
    'rollback site',
    'rollback site 1',
    'uninstall site --keep-history',
    'install site @two',
  ],
});

test('a revision in the middle is missing', equal, {
  charts,
  steps: [
    install,
    'upgrade site @two',
    'upgrade site @three',
    remove({ apiVersion: 'v1', kind: 'Secret', name: 'sh.helm.release.v1.site.v2' }),
    'rollback site',
    'rollback site 2',
    'upgrade site @two',
    'history site -o json',
    'uninstall site',
  ],
});

test('two revisions are deployed', equal, {
  charts,
  steps: [
    install,
    'upgrade site @two',
    setStatus('site', 1, 'deployed'),
    'upgrade site @three',
    'history site -o json',
    'rollback site',
    'uninstall site --keep-history',
  ],
});

test('labels of the stored revisions', equal, {
  charts,
  steps: [
    `${install} -l team=a,stage=test`,
    'upgrade site @two -l stage=live',
    'upgrade site @three -l team=null',
    'rollback site 1',
    'upgrade site @two -l owner=me',
    'upgrade site @two -l a/b=c',
    `upgrade site @two -l long=${'x'.repeat(64)}`,
    'list -o json -l stage=live',
    'list -o json -l team',
    'list -o json -l stage!=live',
    'get metadata site -o json',
    'get metadata site --revision 1',
    'uninstall site --keep-history',
  ],
});

test('another client labels and annotates the record', equal, {
  charts,
  steps: [
    install,
    edit(
      { apiVersion: 'v1', kind: 'Secret', name: 'sh.helm.release.v1.site.v1' },
      { metadata: { labels: { theirs: 'x' } } },
    ),
    'list -l theirs=x -o json',
    'upgrade site @two',
    'rollback site 1',
    'get metadata site -o json',
    'uninstall site',
  ],
});

test('descriptions', equal, {
  charts,
  steps: [
    ['install', 'site', '@one', '--create-namespace', '--description', 'one <a&b> "quoted"\nand a second line'],
    ['upgrade', 'site', '@two', '--description', ''],
    ['upgrade', 'site', '@bad', '--description', 'broken'],
    ['upgrade', 'site', '@three', '--description', 'a'.repeat(600)],
    'rollback site 1',
    'history site',
    'history site -o yaml',
    'status site',
    ['uninstall', 'site', '--keep-history', '--description', 'bye bye'],
    'history site -o yaml',
  ],
});

test('several releases in a namespace', equal, {
  charts: { one: configMap('{{ .Release.Name }}', { a: '1' }), bad: configMap('Not_A_Name') },
  steps: [
    createNamespace,
    'install b @one',
    'install a @one',
    'install c @bad',
    'upgrade b @one',
    'uninstall a --keep-history',
    'list',
    'list -o json',
    'list -q',
    'list -r -q',
    'list -d -q',
    'list -d -r -q',
    'list --max 1 -q',
    'list --offset 1 -q',
    'list --max 1 --offset 1 -o json',
    'list --filter ^[ab]$ -q',
    'list --deployed -q',
    'list --failed -q',
    'list --uninstalled -q',
    'list --superseded -q',
    'list --pending -q',
    'list --uninstalling -q',
    'list --deployed --failed -o json',
    'list --no-headers',
    'uninstall a b c',
  ],
});

test('finds a map that was changed before each revision', equal, {
  charts,
  steps: [
    `${install} --server-side=false`,
    edit(mapRef('map'), { data: { b: 'edited' } }),
    'upgrade site @two',
    edit(mapRef('map'), { data: { b: 'edited again', c: 'edited' } }),
    'rollback site',
    edit(mapRef('map'), { data: null }),
    'upgrade site @three',
    'rollback site 2',
  ],
});
