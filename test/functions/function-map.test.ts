import test from 'ava';
import { functionMap } from '../../src/functions/function-map.ts';
import { fixedHost } from './template-runner.ts';

const functions = functionMap(fixedHost);

test('templates get all functions of Sprig 3.3.0 and of Helm but those that read the environment or belong to a render', (t) => {
  t.is(functions.size, 217);
  for (const name of ['env', 'expandenv', 'include', 'tpl', 'required', 'fail', 'lookup'])
    t.false(functions.has(name), name);
});

test('getHostByName asks no network', (t) => {
  const call = functions.get('getHostByName')?.call as (name: string) => string;
  t.is(call('localhost'), '');
});
