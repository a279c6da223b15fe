import test from 'ava';
import { duplicateKeyProblem } from '../../src/yaml/duplicate-keys.ts';

const start = 'error converting YAML to JSON: yaml: unmarshal errors:\n';

// the errors are those of `helm lint` for such a Chart.yaml
const duplicates = test.macro({
  title: (_, rule: string) => rule,
  exec(t, _rule: string, yaml: string, lines: string) {
    t.is(duplicateKeyProblem(yaml), lines === '' ? '' : start + lines);
  },
});

test(duplicates, 'accepts different keys', 'a: 1\n"1": 2\n1: 3\nb: {a: 1}\n', '');
test(
  duplicates,
  'reports a key at the line of its second value',
  'a: 1\n\na: 2\n',
  '  line 3: key "a" already set in map',
);
test(
  duplicates,
  'reports a key at the line of a value that begins below it',
  'a: 1\na:\n  b: 1\n',
  '  line 3: key "a" already set in map',
);
test(
  duplicates,
  'reports a key with an empty value at the line of its colon',
  'a: 1\nb:\na:\n',
  '  line 3: key "a" already set in map',
);
test(
  duplicates,
  'reports keys inside a value first',
  'a: 1\na:\n- {c: 1, c: 2}\n1: x\n1: y\n',
  '  line 3: key "c" already set in map\n  line 3: key "a" already set in map\n  line 5: key 1 already set in map',
);
test(duplicates, 'treats quoted and unquoted keys as equal', "a: 1\n'a': 2\n", '  line 2: key "a" already set in map');
test(duplicates, 'includes merged keys', '<<: {a: b}\na: c\n', '  line 2: key "a" already set in map');
