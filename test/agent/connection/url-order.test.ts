import test from 'ava';
import { UrlOrder } from '../../../src/agent/connection/url-order.ts';

test('goes through the URLs in their order, and begins another round after the last one', (t) => {
  const order = new UrlOrder(['a', 'b']);
  const tried = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    t.is(order.skip(0), 0);
    tried.push(`${order.current}${order.isNewRound ? ' new' : ''}`);
    order.begin();
    order.advance();
  }
  t.deepEqual(tried, ['a new', 'b', 'a new', 'b', 'a new']);
});

test('leaves a URL out until its time', (t) => {
  const order = new UrlOrder(['a', 'b']);
  order.leaveOut(100);
  t.is(order.skip(99), 0);
  t.is(order.current, 'b');
  order.restart();
  t.is(order.skip(100), 0);
  t.is(order.current, 'a');
});

test('begins another round if the rest of one is left out', (t) => {
  const order = new UrlOrder(['a', 'b']);
  order.advance();
  order.leaveOut(100);
  order.begin();
  order.advance();
  t.is(order.skip(0), 0);
  t.is(order.current, 'a');
  t.true(order.isNewRound);
});

test('waits for the URL that can be tried first if all are left out', (t) => {
  const order = new UrlOrder(['a', 'b']);
  order.leaveOut(100);
  order.skip(0);
  order.leaveOut(50);
  t.is(order.skip(20), 30);
  t.is(order.current, 'b');
  t.true(order.isNewRound);
});
