import test from 'ava';
import { plainObject } from '../../src/release/plain-value.ts';
import type { ReleaseValues, SetValue, StoredValues } from '../../src/render/release-renderer.ts';
import { readValues } from '../../src/workers/read-values.ts';

function plain(values: ReleaseValues) {
  const { values: config, defaults } = readValues(values);
  return { config: plainObject(config), ...(defaults && { defaults: plainObject(defaults) }) };
}

test('later texts take precedence, and maps are merged', (t) => {
  t.deepEqual(plain({ yaml: ['a: {k: 1, v: 1}', 'a: {v: 2}\nb: 3'] }), { config: { a: { k: 1, v: 2 }, b: 3 } });
});

test('merges what is set in the order of Helm, whatever the order of the list', (t) => {
  const set: SetValue[] = [
    { kind: 'set-literal', text: 'e=x,y' },
    { kind: 'set-file', text: 'd=d.txt', files: { 'd.txt': 'content' } },
    { kind: 'set-string', text: 'c=3,d=0,e=0' },
    { kind: 'set', text: 'b=2,c=0,list={x,1}' },
    { kind: 'set-json', text: '{"a": {"b": [1]}, "b": 0}' },
  ];
  t.deepEqual(plain({ yaml: 'a: {z: 1}', set }), {
    config: { a: { z: 1, b: [1] }, b: 2, c: '3', d: 'content', e: 'x,y', list: ['x', 1] },
  });
});

const fails = test.macro({
  title: (_, { kind, text }: SetValue) => `an error about --${kind} ${text} does not quote it`,
  exec(t, entry: SetValue, message: RegExp) {
    const error = t.throws(() => readValues({ set: [{ kind: 'set', text: 'fine=1' }, entry] }));
    t.like(error, { code: 'values_invalid' });
    t.regex(error.message, message);
    t.notRegex(error.message, /secret/);
  },
});

const unreadable = /^set\[1\]: the text cannot be read; write it as for --/;
test(fails, { kind: 'set', text: 'secret' }, unreadable);
test(fails, { kind: 'set', text: 'a={secret' }, unreadable);
test(fails, { kind: 'set-json', text: 'a={secret' }, unreadable);
test(fails, { kind: 'set-json', text: '{"a": secret}' }, unreadable);
test(fails, { kind: 'set-literal', text: 'secret' }, unreadable);
test(fails, { kind: 'set-file', text: 'a=secret.txt' }, /^set\[1\]: give the content of each file that the text names/);
test(
  fails,
  { kind: 'set-file', text: 'a=toString', files: {} },
  /^set\[1\]: give the content of each file that the text names/,
);

const reuses = test.macro({
  title: (_, given: string, reuse: StoredValues['reuse']) => `with ${reuse}, the values ${given || 'none'}`,
  exec(t, given: string, reuse: StoredValues['reuse'], expected: object) {
    const stored = {
      config: { a: 1, map: { k: 1, v: 1 } },
      chart: { name: 'web', values: { b: 2, map: { d: 1 } } },
      reuse,
    };
    t.deepEqual(plain({ yaml: given, stored }), expected);
  },
});

const config = { a: 1, map: { k: 1, v: 1 } };
const defaults = { a: 1, b: 2, map: { k: 1, v: 1, d: 1 } };
test(reuses, '', 'if-none-given', { config });
test(reuses, 'c: 3', 'if-none-given', { config: { c: 3 } });
test(reuses, '', 'without-defaults', { config });
test(reuses, 'c: 3\nmap: {v: 2}', 'without-defaults', { config: { a: 1, c: 3, map: { k: 1, v: 2 } } });
test(reuses, 'a: null\nnone: null', 'without-defaults', { config: { none: null, map: { k: 1, v: 1 } } });
test(reuses, '', 'with-defaults', { config, defaults });
test(reuses, 'b: 7', 'with-defaults', { config: { ...config, b: 7 }, defaults });
