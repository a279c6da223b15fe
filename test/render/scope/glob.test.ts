import test from 'ava';
import { compileGlob } from '../../../src/render/scope/glob.ts';

const names = ['a.yaml', 'conf/a.yaml', 'conf/b.yaml', 'conf/deep/a.yaml', 'c-d'];

const matches = test.macro({
  exec(t, pattern: string, expected: string[]) {
    t.deepEqual(names.filter(compileGlob(pattern)), expected);
  },
  title: (_, pattern: string, expected: string[]) =>
    `${pattern} matches ${expected.length === 0 ? 'nothing' : expected.join(', ')}`,
});

test(matches, '*', ['a.yaml', 'c-d']);
test(matches, '**', names);
test(matches, 'conf/*', ['conf/a.yaml', 'conf/b.yaml']);
test(matches, 'conf/**', ['conf/a.yaml', 'conf/b.yaml', 'conf/deep/a.yaml']);
test(matches, '**/a.yaml', ['conf/a.yaml', 'conf/deep/a.yaml']);
test(matches, 'conf/?.yaml', ['conf/a.yaml', 'conf/b.yaml']);
test(matches, 'conf/[ax].yaml', ['conf/a.yaml']);
test(matches, 'conf/[!a].yaml', ['conf/b.yaml']);
test(matches, 'conf/[a-b].yaml', ['conf/a.yaml', 'conf/b.yaml']);
test(matches, '{a,conf/b}.yaml', ['a.yaml', 'conf/b.yaml']);
test(matches, 'c[-]d', ['c-d']);
test(matches, 'c\\-d', ['c-d']);
test(matches, 'none*', []);

for (const broken of ['[', '[]', '[a-', '[b-a]', '[a-z0-9]', 'x[!']) {
  test(`${broken} cannot be read, so it matches everything, as in Helm`, (t) => {
    t.deepEqual(names.filter(compileGlob(broken)), names);
  });
}

test('a row of parts of fixed length takes no name where a part ends in a character of several bytes, as in gobwas', (t) => {
  t.false(compileGlob('?.txt')('é.txt'));
  t.true(compileGlob('?.txt')('e.txt'));
  t.true(compileGlob('?')('é'));
  t.true(compileGlob('*.txt')('é.txt'));
});
