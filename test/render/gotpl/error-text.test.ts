import test from 'ava';
import { executionErrorText, markFailure, parseErrorText } from '../../../src/render/gotpl/error-text.ts';

// The expected texts are those of helm template v4.2.4.

test('keeps the position and the text after the last colon of a parse error', (t) => {
  t.is(
    parseErrorText('c/templates/t.txt', 'template: c/templates/t.txt:1: unexpected "+" in operand: "+"'),
    'parse error at (c/templates/t.txt:1): "+"',
  );
});

test('prints each cause of an execution error on its own lines', (t) => {
  const cause = 'template: c/templates/_h.tpl:5:5: executing "c.err" at <.x.y>: nil pointer evaluating interface {}.y';
  const chain = [
    `template: c/templates/t.txt:1:3: executing "c/templates/t.txt" at <include "c.err" .>: error calling include: ${cause}`,
    cause,
  ];
  t.is(
    executionErrorText('c/templates/t.txt', chain),
    [
      'c/templates/t.txt:1:3',
      '  executing "c/templates/t.txt" at <include "c.err" .>:',
      '    error calling include:',
      'c/templates/_h.tpl:5:5',
      '  executing "c.err" at <.x.y>:',
      '    nil pointer evaluating interface {}.y',
    ].join('\n'),
  );
});

test('keeps the text of Go if a cause is not a template error', (t) => {
  const text = 'template: c/templates/t.txt:1:3: executing "c/templates/t.txt" at <atoi "x">: error calling atoi: bad';
  t.is(executionErrorText('c/templates/t.txt', [text, text, 'bad']), text);
});

test('reports only the outermost position and the message of fail and required', (t) => {
  const text = `template: c/templates/t.txt:1:3: executing "c/templates/t.txt" at <include "x" .>: error calling include: ${markFailure('a\nb: c')}`;
  t.is(executionErrorText('c/templates/t.txt', [text]), 'execution error at (c/templates/t.txt:1:3): a\nb: c');
});
