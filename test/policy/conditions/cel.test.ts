import test from 'ava';
import { createCelEvaluator } from '../../../src/policy/conditions/cel.ts';
import type { ConditionValues } from '../../../src/policy/conditions/condition.ts';

const values = (changes: Partial<ConditionValues> = {}): ConditionValues => ({
  ...{ command: { type: 'install_release', right: 'deploy', changes: true, payload: { atomic: true } }, caller: 'ci' },
  ...{ release: { name: 'web', namespace: 'shop' }, chart: null, object: null, now: Date.UTC(2026, 2, 4) },
  ...changes,
});

const deployment = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', labels: { team: 'shop' } } },
  spec: { replicas: 3, ratio: 0.5, selector: null, ports: [{ port: 80 }, { port: 443 }] },
};

const outcomeOf = (expression: string, changes?: Partial<ConditionValues>) => {
  const [outcome] = createCelEvaluator().evaluate([expression], values(changes));
  return outcome;
};

const holds = test.macro({
  exec: (t, expression: string, expected: boolean, problem?: RegExp) => {
    const outcome = outcomeOf(expression, { object: deployment });
    t.is(outcome?.holds, expected, outcome?.problem);
    if (problem === undefined) t.is(outcome?.problem, undefined);
    else t.regex(outcome?.problem ?? '', problem);
  },
  title: (_, expression: string, expected) => `${expression} ${expected ? 'holds' : 'does not hold'}`,
});

test(holds, "command.type == 'install_release' && command.payload.atomic", true);
test(holds, "caller.startsWith('ci') && release.namespace in ['shop', 'blog']", true);
test(holds, 'object.spec.replicas <= 3 && object.spec.replicas == 3', true);
test(holds, 'object.spec.replicas <= 2', false);
test(holds, 'object.spec.ratio < 1.0', true);
test(holds, 'object.spec.ports.all(p, p.port in [80, 443])', true);
test(holds, 'has(object.spec.paused) && object.spec.paused', false);
test(holds, 'object.spec.selector == null', true);
test(holds, "object.metadata.labels['team'] == release.namespace", true);
test(holds, "now < timestamp('2026-03-05T00:00:00Z') && now.getDayOfWeek('Europe/Berlin') == 3", true);
test(holds, 'chart == null', true);
test(holds, 'object.spec.missing == 1', false, /^1:12: field not found: missing$/);
test(holds, "caller ==\n  'ci' && object.spec.missing", false, /^2:22: field not found/);
test(holds, 'object.spec.replicas', false, /neither true nor false/);
test(holds, "caller + 1 == 'a'", false, /^1:7: found no matching overload/);

const wrong = test.macro((t, expression: string, problem: RegExp) => {
  const [compiled] = createCelEvaluator().compile([expression]);
  t.regex(compiled?.problem ?? 'it was compiled', problem);
  t.false(outcomeOf(expression)?.holds);
});

test(
  'an unknown variable is refused with its place',
  wrong,
  "true &&\n  calle == 'x'",
  /^2:3: calle is not a variable/,
);
test('a name of a macro is not known outside of it', wrong, '[1].all(x, true) && x == 1', /^1:21: x is not/);
test('a syntax error has its place', wrong, "caller.startsWith('c'", /^1:\d+: /);
test('a reserved word has its place', wrong, 'namespace.foo', /^1:1: reserved identifier/);
test('nesting that is too deep is refused', wrong, `${'('.repeat(2000)}true${')'.repeat(2000)}`, /nested|1:/);
test('a long chain of operators is refused or read', (t) => {
  const [compiled] = createCelEvaluator().compile([Array(1000).fill('true').join('&&')]);
  t.truthy(compiled);
});

test('the variables of an expression are known, also those inside of macros and maps', (t) => {
  const variablesOf = (expression: string) => createCelEvaluator().compile([expression])[0]?.variables;
  t.deepEqual(variablesOf('true'), []);
  t.deepEqual(variablesOf("[1].exists(x, x == size(caller)) || {'a': chart}['a'] == null"), ['caller', 'chart']);
  t.deepEqual(variablesOf('has(object.spec.a) ? object.spec.a : type(now) == int'), ['object', 'now']);
});

test('no value of the command is in a problem', (t) => {
  const secret = 'hunter2-secret';
  const hostile = values({ caller: secret, command: { payload: { values: { password: secret } } } });
  const expressions = [
    ...[
      'int(caller) == 1',
      'timestamp(caller) < now',
      'duration(caller) == duration(caller)',
      'caller.matches(caller + "(")',
    ],
    ...['command.payload.values.password', 'command[caller] == 1', "{'a': 1}[caller] == 1", '[1][int(caller)] == 1'],
    ...['bytes(caller) == caller', 'double(caller) > 1.0', 'caller.getFullYear() == 1', 'now.getHours(caller) == 1'],
  ];
  for (const { holds: isTrue, problem = '' } of createCelEvaluator().evaluate(expressions, hostile)) {
    t.false(isTrue);
    t.false(problem.includes(secret), problem);
  }
});

test('integers of objects are exact, as in Kubernetes', (t) => {
  const text = '{"large": 9007199254740993, "most": 9223372036854775807, "float": 9223372036854775808}';
  const expressions = [
    'object.large == 9007199254740993',
    'object.large != 9007199254740992',
    'object.most == 9223372036854775807',
    'type(object.most) == int && type(object.float) == double',
  ];
  const [outcomes] = createCelEvaluator().evaluateObjects(expressions, values(), [text]);
  t.deepEqual(outcomes, Array(expressions.length).fill({ holds: true }));
});

test('keys of objects that JavaScript knows are plain keys', (t) => {
  const object = JSON.parse('{"__proto__": {"a": 1}, "constructor": "x"}') as object;
  t.true(outcomeOf("object.constructor == 'x' && object['__proto__'].a == 1", { object })?.holds);
  t.like(outcomeOf('object.toString == 1', { object: {} }), { holds: false });
});
