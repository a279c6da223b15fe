import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import test from 'ava';
import { commandTypes } from '../../src/protocol/commands/index.ts';
import { apiDocument, apiRoutes } from '../../tools/openapi.ts';
import { testPlane } from './support/plane.ts';

const file = new URL('../../schema/openapi.json', import.meta.url);

test('the document is valid OpenAPI 3.1', async (t) => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(fileURLToPath(file));
  t.true(valid, JSON.stringify(errors ?? []).slice(0, 2000));
  t.is(validator.version, '3.1');
});

test('every reference of the document leads to a schema', (t) => {
  const document = apiDocument();
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(
    ([, reference = '']) => reference,
  );
  t.true(references.length > 100);
  for (const reference of references) {
    const name = reference.replace('#/components/schemas/', '');
    t.true(Object.hasOwn(document.components.schemas, name), reference);
  }
});

test('the document has each route and each command once', (t) => {
  const { paths, components } = apiDocument();
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const routes = apiRoutes();
  t.is(operations.length, routes.length);
  t.is(new Set(operations.map(({ operationId }) => operationId)).size, routes.length);
  for (const type of commandTypes) {
    for (const part of ['request', 'payload', 'result', 'command']) t.true(`${type}.${part}` in components.schemas);
  }
});

test('the document is served to users, and not without a token', async (t) => {
  const { url } = await testPlane(t, { apiToken: 'root' });
  const get = (headers: Record<string, string>) => fetch(`${url}/api/openapi.json`, { headers });
  t.is((await get({})).status, 401);
  const served: unknown = await (await get({ authorization: 'Bearer root' })).json();
  t.deepEqual(served, JSON.parse(JSON.stringify(apiDocument())));
});

test('a path without the method says which methods it has', async (t) => {
  const { url } = await testPlane(t);
  const put = await fetch(`${url}/api/agents/edge-1`, { method: 'PUT' });
  t.is(put.status, 405);
  t.is(put.headers.get('allow'), 'GET, DELETE');
});
