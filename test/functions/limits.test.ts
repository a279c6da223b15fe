import test from 'ava';
import { LimitError } from '../../src/go/limit-error.ts';
import { fixedHost } from '../support/host.ts';
import { runTemplate } from './template-runner.ts';

const limits = { listElements: 100, textBytes: 1000, aliasedNodes: 100 };

for (const template of [
  '{{ until 101 }}',
  '{{ untilStep 0 9000000000000000000 1 }}',
  '{{ seq 1 101 }}',
  '{{ repeat 501 "ab" }}',
  '{{ indent 999 "a\\nb" }}',
  '{{ join (repeat 500 "x") (until 4) }}',
  '{{ regexReplaceAll "" (repeat 100 "x") (repeat 100 "y") }}',
  '{{ regexReplaceAllLiteral "." (repeat 100 "x") (repeat 100 "y") }}',
  '{{ wrapWith 1 (repeat 100 "y") (repeat 100 "x") }}',
  '{{ replace "" (repeat 100 "x") (repeat 100 "y") }}',
  '{{ randAlphaNum 1001 }}',
  '{{ randBytes 1001 }}',
  '{{ fromYaml "a: &a [1,2,3,4,5,6,7,8,9,10]\\nb: &b [*a,*a,*a,*a,*a]\\nc: [*b,*b]" }}',
  '{{ splitList "" (repeat 101 "x") }}',
  '{{ split "x" (repeat 101 "x") }}',
  '{{ regexSplit "x" (repeat 101 "x") -1 }}',
  '{{ regexFindAll "x" (repeat 101 "x") -1 }}',
  '{{ concat (until 60) (until 60) }}',
  '{{ cat (repeat 600 "x") (repeat 600 "x") }}',
  '{{ quote (repeat 600 "x") (repeat 600 "x") }}',
  '{{ squote (repeat 600 "x") (repeat 600 "x") }}',
]) {
  test(`${template} exceeds a limit`, (t) => {
    const { cause } = t.throws(() => runTemplate(template, fixedHost, limits));
    if (cause instanceof LimitError) t.is(cause.code, 'render_limit');
    else t.fail('the cause is not a LimitError');
  });
}

test('results within the limits are allowed', (t) => {
  t.is(runTemplate('{{ until 100 | len }} {{ repeat 500 "ab" | len }}', fixedHost, limits), '100 1000');
});
