import test from 'ava';
import { createThreadedEvaluator } from '../../../src/policy/conditions/threaded-evaluator.ts';
import { threadModule } from '../../support/program.ts';

const moduleUrl = threadModule('condition-thread');
const base = { command: {}, caller: '', release: {}, chart: null, object: null, now: 0 };

/** Takes hours, or more memory than there is. */
const bombs = {
  'nested comprehensions':
    'L.all(a, L.all(b, L.all(c, L.all(d, L.all(e, L.all(f, L.all(g, L.all(h, true))))))))'.replaceAll(
      'L',
      'object.list',
    ),
  'a text that grows':
    "object.list.map(a, object.list.map(b, object.list.map(c, object.list.map(d, 'aaaaaaaa')))).size() > 0",
};

for (const [what, expression] of Object.entries(bombs)) {
  test(`${what}: ended by the limits, and the next condition is evaluated`, async (t) => {
    const { evaluator, close } = createThreadedEvaluator({ moduleUrl, milliseconds: 200, graceMs: 200 });
    t.teardown(close);
    const object = { list: Array.from({ length: 300 }, (_, index) => index) };
    await t.throwsAsync(evaluator.evaluate([expression], { ...base, object }), { code: 'render_limit' });
    t.deepEqual(await evaluator.evaluate(['true', '1 == 2'], base), [{ holds: true }, { holds: false }]);
  });
}

test('regular expressions and huge texts take linear time', async (t) => {
  // of a busy machine: what is not linear takes hours
  const { evaluator, close } = createThreadedEvaluator({ moduleUrl, milliseconds: 30_000 });
  t.teardown(close);
  const object = { text: 'a'.repeat(1024 * 1024) };
  const expressions = [
    "object.text.matches('^(a+)+$')",
    "object.text.contains('b')",
    "object.text + object.text != ''",
  ];
  const outcomes = await evaluator.evaluate(expressions, { ...base, object });
  t.deepEqual(
    outcomes.map(({ holds }) => holds),
    [true, false, true],
  );
});
