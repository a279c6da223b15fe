import test from 'ava';
import { matchesLabels, parseLabelSelector, SelectorError } from '../../src/objects/label-selector.ts';

// as k8s.io/apimachinery/pkg/labels has it
const selects = test.macro({
  title: (_, selector: string, value: string | undefined, expected: boolean) =>
    `${selector} ${expected ? 'selects' : 'does not select'} ${value === undefined ? 'an absent label' : `"${value}"`}`,
  exec(t, selector: string, value: string | undefined, expected: boolean) {
    const labels: Record<string, string> = value === undefined ? {} : { v: value };
    t.is(matchesLabels(parseLabelSelector(selector), labels), expected);
  },
});

test(selects, 'v>2', '10', true);
test(selects, 'v>2', '2', false);
test(selects, 'v < 2', '1', true);
test(selects, 'v<2', '2', false);
test(selects, 'v>1,v<3', '002', true);
test(selects, 'v>9223372036854775806', '9223372036854775807', true);
test(selects, 'v>2', '9223372036854775808', false);
test(selects, 'v>2', 'x', false);
test(selects, 'v<2', '', false);
test(selects, 'v<2', undefined, false);

const refuses = test.macro({
  title: (_, selector: string) => `${selector} compares with what is no integer, and is refused`,
  exec(t, selector: string, value: string) {
    const message = `unable to parse requirement: values[0]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`;
    t.throws(() => parseLabelSelector(selector), { instanceOf: SelectorError, message });
  },
});

test(refuses, 'v>x', 'x');
test(refuses, 'v<', '');
test(refuses, 'a=b,v>9223372036854775808', '9223372036854775808');
