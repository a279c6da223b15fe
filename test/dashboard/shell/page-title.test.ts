import test from 'ava';
import { placeOf, routes } from '../../../src/dashboard/route/route.ts';
import { pageTitle } from '../../../src/dashboard/shell/page-title.ts';

const titleAt = (href: string) => pageTitle(placeOf(new URL(href, 'http://hub.example')));

test('the title of a page says the view, and what it is about from the inside to the outside', (t) => {
  t.is(titleAt('/agents/edge-1/releases/shop/web?tab=values'), 'Release web · shop · edge-1 · helm-agent');
  t.is(titleAt('/agents/edge-1/logs'), 'Logs edge-1 · helm-agent');
  t.is(titleAt('/'), 'Overview · helm-agent');
  t.is(titleAt('/nothing'), 'No such page · helm-agent');
});

test('each view has a title of its own', (t) => {
  const titles = Object.values(routes).map((path) => titleAt(path.replaceAll(':', '')));
  t.is(new Set(titles).size, titles.length);
});

test('characters that turn the order of text, and long names, are not in a title as they are', (t) => {
  t.false(titleAt(`/agents/${encodeURIComponent('a\u202eb')}`).includes('\u202e'));
  t.true(titleAt(`/agents/${'a'.repeat(10_000)}`).length < 1000);
});
