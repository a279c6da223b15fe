import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { openConnection } from '../../src/kube/connection.ts';
import { readKubeConfigs } from '../../src/kube/kubeconfig-files.ts';

function folderOf(t: ExecutionContext, files: Record<string, unknown>): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return (name) => join(folder, name);
}

const cluster = (name: string, server: string, more = {}) => ({ name, cluster: { server, ...more } });
const user = (name: string, fields: object) => ({ name, user: fields });
const context = (name: string, namespace: string) => ({ name, context: { cluster: 'c', user: 'u', namespace } });

test('files are read as one, and the first entry with a name counts as a whole', (t) => {
  const path = folderOf(t, {
    a: { clusters: [cluster('c', 'https://a')], 'current-context': '' },
    b: { users: [user('u', { token: 'b' })], contexts: [context('x', 'b')], 'current-context': 'x' },
    c: {
      clusters: [cluster('c', 'https://c', { 'certificate-authority': 'ca' }), cluster('d', 'https://d')],
      users: [user('u', { token: 'c', tokenFile: 'token' })],
      contexts: [context('x', 'c'), context('y', 'c')],
      'current-context': 'y',
    },
  });
  const { config, users } = readKubeConfigs(['a', 'b', 'c'].map(path));
  t.is(config.getCurrentContext(), 'x');
  t.like(config.getCurrentCluster(), { server: 'https://a', caFile: undefined });
  t.is(config.getCurrentUser()?.token, 'b');
  t.is(config.getContextObject('x')?.namespace, 'b');
  t.deepEqual(
    config.getClusters().map(({ name }) => name),
    ['c', 'd'],
  );
  t.is(users.get('u')?.tokenFile, undefined, 'a token file of an entry that does not count');
});

test('paths are relative to the folder of their file', async (t) => {
  const path = folderOf(t, {
    'one/config': { contexts: [context('x', 'shop')], 'current-context': 'x' },
    'two/config': { clusters: [cluster('c', 'https://127.0.0.1:1', { 'certificate-authority': 'ca.crt' })] },
    'two/ca.crt': rootCertificates[0],
    'three/config': {
      users: [user('u', { 'client-certificate': 'c.crt', 'client-key': 'sub/c.key', tokenFile: 'token' })],
    },
    'three/c.crt': 'certificate',
    'three/sub/c.key': 'key',
    'three/token': 'from-three\n',
  });
  const files = ['one/config', 'two/config', 'three/config'].map(path);
  const { config } = readKubeConfigs(files);
  t.is(config.getCurrentCluster()?.caFile, path('two/ca.crt'));
  t.is(config.getCurrentUser()?.keyFile, path('three/sub/c.key'));
  const connection = openConnection({ files });
  t.teardown(() => connection.close());
  t.is(connection.namespace, 'shop');
  t.is((await connection.prepare()).headers['Authorization'], 'Bearer from-three');
});

test('files that do not exist or are empty are left out', (t) => {
  const path = folderOf(t, {
    empty: '',
    comment: '# nothing\n',
    mark: '---\n',
    whole: {
      clusters: [cluster('c', 'https://a')],
      users: [user('u', {})],
      contexts: [context('x', 'n')],
      'current-context': 'x',
    },
  });
  const files = ['none', 'empty', 'comment', 'mark', 'whole', 'none/below'].map(path);
  t.is(readKubeConfigs(files).config.getCurrentCluster()?.server, 'https://a');
});

const broken: Record<string, string> = {
  'text that is not YAML': '{',
  'a list': '[1]',
  'a text': 'root:x:0:0',
  'clusters that are no list': 'clusters: {a: 1}',
  'a cluster without a server': 'clusters: [{name: c, cluster: {}}]',
  'a user that is a text': 'users: [x]',
};
for (const [name, text] of Object.entries(broken)) {
  test(`${name} in one of several files is an error with the path of that file, without its content`, (t) => {
    const path = folderOf(t, { good: 'clusters: []', bad: `${text}\n# secret-token` });
    const error = t.throws(() => openConnection({ files: [path('good'), path('bad')] }), { code: 'bad_request' });
    t.true(error.message.includes(path('bad')), error.message);
    t.false(error.message.includes('secret-token'));
  });
}

test('a folder instead of a file is an error', (t) => {
  const path = folderOf(t, { 'folder/x': '' });
  t.throws(() => openConnection({ files: [path('folder')] }), { code: 'bad_request', message: /EISDIR/ });
});

test('files without a current context are an error that names them', (t) => {
  const path = folderOf(t, { a: { clusters: [cluster('c', 'https://a')] }, b: '' });
  t.throws(() => openConnection({ files: [path('a'), path('b')] }), {
    message: `the kubeconfig of ${path('a')}, ${path('b')} has no cluster in its current context`,
  });
});
