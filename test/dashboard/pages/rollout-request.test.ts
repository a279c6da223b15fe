import test from 'ava';
import { emptyRollout, parseRequest, rolloutRequest } from '../../../src/dashboard/pages/rollout-request.ts';

const choices = { approval: true, plan: false, test: false };
const fields = {
  ...emptyRollout,
  agents: 'edge-*, shop',
  releaseName: ' web ',
  chartName: 'web',
  values: 'replicas: 2',
};

test('the form gives a request without its empty fields', (t) => {
  t.deepEqual(rolloutRequest({ ...fields, soak: '' }, choices), {
    agents: ['edge-*', 'shop'],
    payload: { releaseName: 'web', chartName: 'web', values: { replicas: 2 }, wait: true },
    waves: [{ size: 1 }, { size: '10%' }, {}],
    ...{ soak: false, maxFailures: 0, approval: true, plan: false, test: false },
  });
});

test('the form says which field is wrong', (t) => {
  t.throws(() => rolloutRequest({ ...fields, agents: ' , ' }, choices), { message: /name agents or labels/ });
  t.throws(() => rolloutRequest({ ...fields, waves: '1, many' }, choices), { message: /^waves must be/ });
  t.throws(() => rolloutRequest({ ...fields, maxFailures: '' }, choices), { message: /^failures must be/ });
  t.throws(() => rolloutRequest({ ...fields, values: '- a' }, choices), { message: /a map of YAML/ });
  t.throws(() => rolloutRequest({ ...fields, values: ': {' }, choices));
});

test('the JSON of a request must be an object, and not too long', (t) => {
  t.deepEqual(parseRequest('{"id":"a"}'), { id: 'a' });
  t.throws(() => parseRequest('[]'), { message: /an object/ });
  t.throws(() => parseRequest('null'), { message: /an object/ });
  t.throws(() => parseRequest('{'));
  t.throws(() => parseRequest(`"${'x'.repeat(1024 * 1024)}"`), { message: /1 MiB/ });
});
