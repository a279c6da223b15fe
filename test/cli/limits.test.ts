import test from 'ava';
import { defaultChartLimits } from '../../src/chart/limits.ts';
import { limitsOf } from '../../src/cli/limits.ts';
import { defaultRenderLimits } from '../../src/render/limits.ts';

test('limits that are named are set, the others keep their defaults', (t) => {
  t.deepEqual(limitsOf('steps=1000, memoryMb=64,entries=5'), {
    render: { ...defaultRenderLimits, steps: 1000, memoryMb: 64 },
    chart: { ...defaultChartLimits, entries: 5 },
  });
  t.deepEqual(limitsOf(undefined), { render: defaultRenderLimits, chart: defaultChartLimits });
});

for (const [list, message] of [
  ['speed=1', /^--limits: there is no limit "speed"; known are .*steps.*memoryMb.*chartBytes/],
  ['__proto__=1', /there is no limit "__proto__"/],
  ['steps', /^--limits: steps must be a whole number from 1 on$/],
  ['steps=0', /steps must be/],
  ['steps=1e9', /steps must be/],
  ['steps=-1,memoryMb=x', /steps must be .*; memoryMb must be/],
] as const) {
  test(`--limits ${list} is refused`, (t) => {
    t.throws(() => limitsOf(list), { message });
  });
}
