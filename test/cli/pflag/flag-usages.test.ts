import test from 'ava';
import { customFlag, switchFlag } from '../../../src/cli/pflag/flag.ts';
import { flagUsages, wrapped } from '../../../src/cli/pflag/flag-usages.ts';

const flags = [
  customFlag('file', 'values', 'file with values, which may be given more than once', { shorthand: 'f' }),
  switchFlag('quiet', 'print only errors'),
];

test('flags are sorted and aligned, and their texts are one line without a width', (t) => {
  t.is(
    flagUsages(flags),
    [
      '      --quiet         print only errors',
      '  -f, --values file   file with values, which may be given more than once',
      '',
    ].join('\n'),
  );
});

test('texts are wrapped to a width, below the start of the first line', (t) => {
  t.is(
    flagUsages(flags, 64),
    [
      '      --quiet         print only errors',
      '  -f, --values file   file with values, which may be given more',
      '                      than once',
      '',
    ].join('\n'),
  );
});

test('texts are below the flags if the terminal is narrow', (t) => {
  t.is(
    flagUsages(flags, 40),
    [
      '      --quiet',
      '          print only errors',
      '  -f, --values file',
      '          file with values, which may be',
      '          given more than once',
      '',
    ].join('\n'),
  );
});

test('a word that is longer than a line stays whole', (t) => {
  t.is(wrapped('a  ', `b ${'c'.repeat(50)} d`, 50), `a  b\n   ${'c'.repeat(50)}\n   d`);
});
