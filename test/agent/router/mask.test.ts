import test from 'ava';
import { maskFor } from '../../../src/agent/router/mask.ts';

const masks = test.macro({
  exec(t, payload: object, text: string, masked: string) {
    t.is(maskFor(payload)(text), masked);
  },
  title: (title = '') => `masks ${title}`,
});

test('the password of a repository', masks, { repoPassword: 'pass/word' }, 'pass/word, pass%2Fword', '***, ***');
test(
  'the password in the URL of a repository',
  masks,
  { repoUrl: 'https://me:p%40ss@host' },
  'p%40ss and p@ss',
  '*** and ***',
);
test('the password in the URL of a chart', masks, { chartName: 'https://me:secret@host/a.tgz' }, 'a secret', 'a ***');
test(
  'a password with a lone surrogate',
  masks,
  { repoPassword: 'pass\ud800' },
  'pass\ud800, pass%EF%BF%BD',
  '***, ***',
);
test('no password of less than four characters', masks, { repoPassword: 'abc' }, 'abc', 'abc');
test('nothing if there is no password', masks, { repoUrl: 'https://host', chartName: 'web' }, 'web', 'web');
test('nothing for a URL that is not valid', masks, { repoUrl: 'https://' }, 'https://', 'https://');
