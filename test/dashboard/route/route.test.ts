import test from 'ava';
import { hrefOf, placeOf, routes } from '../../../src/dashboard/route/route.ts';

/** Returns the place of an address as a browser reads it. */
const placeAt = (href: string) => placeOf(new URL(href, 'http://hub.example'));

test('an address leads back to the view, its parameters and its filters', (t) => {
  const parameters = { agent: 'edge/1 ?#%', namespace: 'shop', release: 'wéb' };
  const href = hrefOf('release', parameters, { tab: 'values', from: '3', to: '' });
  t.is(href, '/agents/edge%2F1%20%3F%23%25/releases/shop/w%C3%A9b?from=3&tab=values');
  t.deepEqual(placeAt(href), { name: 'release', parameters, query: { tab: 'values', from: '3' } });
});

test('each view without parameters has an address of its own', (t) => {
  for (const [name, path] of Object.entries(routes)) {
    if (!path.includes(':')) t.is(placeAt(path).name as string, name);
  }
});

test('a slash at the end of an address does not count', (t) => {
  t.is(placeAt('/agents/').name, 'agents');
});

test('an address that no view has, or that is badly encoded, leads to no view', (t) => {
  for (const href of ['/nothing', '/agents//releases/a/b', '/commands/%ff', '/agents/a/b', '//']) {
    t.is(placeOf({ pathname: href, search: '' }).name, undefined, href);
  }
});

test('filters with names of objects are only filters', (t) => {
  t.deepEqual({ ...placeAt('/agents?constructor=1&q=a%20b').query }, { constructor: '1', q: 'a b' });
});
