import test from 'ava';
import { isRequestUrl } from '../../src/lint/web-address.ts';

for (const url of [
  'https://a.example/b?c=d',
  'http://localhost:80',
  'mailto:me@a.example',
  'git+https://a.example/b c',
]) {
  test(`${url} is an address that charts may name`, (t) => t.true(isRequestUrl(url)));
}

for (const url of [
  '',
  'a.example',
  'git@a.example:b',
  'https://a b.example/',
  'https://a.example/%zz',
  'https://a.example:x',
]) {
  test(`${JSON.stringify(url)} is not an address that charts may name`, (t) => t.false(isRequestUrl(url)));
}
