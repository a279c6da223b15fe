import test from 'ava';
import { apiPath, groupVersionPath } from '../../src/objects/api-path.ts';
import { InvalidNameError } from '../../src/objects/invalid-name-error.ts';
import fc from '../support/fast-check.ts';

const configMaps = { apiVersion: 'v1', kind: 'ConfigMap', resource: 'configmaps', namespaced: true };
const roles = { apiVersion: 'rbac/v1', kind: 'ClusterRole', resource: 'clusterroles', namespaced: false };

test('names collections, objects and subresources', (t) => {
  t.is(apiPath(configMaps), '/api/v1/configmaps');
  t.is(apiPath(configMaps, { namespace: 'a' }), '/api/v1/namespaces/a/configmaps');
  t.is(apiPath(configMaps, { namespace: 'a', name: 'b' }), '/api/v1/namespaces/a/configmaps/b');
  t.is(apiPath(roles, { namespace: 'a', name: 'system:x' }), '/apis/rbac/v1/clusterroles/system%3Ax');
  t.is(apiPath(configMaps, { namespace: 'a', name: 'b', subresource: 'c' }), '/api/v1/namespaces/a/configmaps/b/c');
  t.is(groupVersionPath('apps/v1'), '/apis/apps/v1');
});

const badSegments: [text: string, problem: string][] = [
  ['.', `may not be '.'`],
  ['..', `may not be '..'`],
  ['a/b', `may not contain '/'`],
  ['../..', `may not contain '/'`],
  ['%2e', `may not contain '%'`],
  ['%2e%2e%2f/', `may not contain '/' may not contain '%'`],
  ['\ud800', 'must be valid Unicode'],
];

for (const [text, problem] of badSegments) {
  const quoted = JSON.stringify(text);
  test(`refuses ${quoted} as a part of a path, with the message of client-go`, (t) => {
    const refuses = (message: string, call: () => string) => {
      t.throws(call, { instanceOf: InvalidNameError, code: 'invalid_name', message });
    };
    const object = { namespace: 'a', name: 'b' };
    refuses(`invalid resource name ${quoted}: [${problem}]`, () => apiPath(configMaps, { ...object, name: text }));
    refuses(`invalid namespace ${quoted}: [${problem}]`, () => apiPath(configMaps, { namespace: text }));
    refuses(`invalid subresource ${quoted}: [${problem}]`, () => apiPath(configMaps, { ...object, subresource: text }));
    t.throws(() => apiPath({ ...configMaps, resource: text }, object), { instanceOf: InvalidNameError });
    t.throws(() => apiPath({ ...configMaps, apiVersion: text.replace('/', '%') }), { instanceOf: InvalidNameError });
    t.throws(() => apiPath({ ...configMaps, apiVersion: `${text}/v1` }), { instanceOf: InvalidNameError });
    t.throws(() => apiPath({ ...configMaps, apiVersion: `apps/${text}` }), { instanceOf: InvalidNameError });
  });
}

test('refuses empty parts of a path', (t) => {
  t.throws(() => apiPath(configMaps, { namespace: 'a', name: '' }), { message: 'resource name may not be empty' });
  for (const [kind, target] of [
    [configMaps, { namespace: '', name: 'b' }],
    [configMaps, { namespace: 'a', name: 'b', subresource: '' }],
    [{ ...configMaps, resource: '' }, {}],
    [{ ...configMaps, apiVersion: '' }, {}],
    [{ ...configMaps, apiVersion: '/v1' }, {}],
    [{ ...configMaps, apiVersion: 'apps/' }, {}],
  ] as const) {
    t.throws(() => apiPath(kind, target), { instanceOf: InvalidNameError });
  }
});

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('.', '/', '%', '2', 'e', '\\', '?', '#', '\t', '\n', ':', '@', ' ', 'a') }),
);

test('a URL has exactly the intended segments, or there is none', (t) => {
  fc.assert(
    fc.property(text, text, text, text, text, (group, version, resource, namespace, name) => {
      let path: string;
      try {
        path = apiPath({ apiVersion: `${group}/${version}`, resource, namespaced: true }, { namespace, name });
      } catch (error) {
        return error instanceof InvalidNameError;
      }
      const { pathname, search, hash, host } = new URL(`https://server/prefix${path}`);
      t.deepEqual({ search, hash, host }, { search: '', hash: '', host: 'server' });
      const segments = pathname.split('/').map(decodeURIComponent);
      t.deepEqual(segments, ['', 'prefix', 'apis', group, version, 'namespaces', namespace, resource, name]);
      return true;
    }),
    { numRuns: 3000 },
  );
});
