import test from 'ava';
import { defaultChartLimits } from '../../src/chart/limits.ts';
import { parseLimits } from '../../src/cli/limits.ts';
import { defaultRenderLimits } from '../../src/render/limits.ts';
import { defaultTextLimits } from '../../src/workers/limits.ts';

test('limits that are not named keep their defaults', (t) => {
  t.deepEqual(parseLimits('steps=1000, memoryMb=64,entries=5,nodes=900'), {
    render: { ...defaultRenderLimits, steps: 1000, memoryMb: 64 },
    chart: { ...defaultChartLimits, entries: 5 },
    text: { ...defaultTextLimits, nodes: 900 },
  });
  t.deepEqual(parseLimits(undefined), {
    render: defaultRenderLimits,
    chart: defaultChartLimits,
    text: defaultTextLimits,
  });
});

for (const [list, message] of [
  ['speed=1', /^--limits: unknown limit "speed"; the limits are .*steps.*memoryMb.*chartBytes/],
  ['__proto__=1', /unknown limit "__proto__"/],
  ['steps', /^--limits: steps must be a positive whole number$/],
  ['steps=0', /steps must be/],
  ['steps=1e9', /steps must be/],
  ['steps=-1,memoryMb=x', /steps must be .*; memoryMb must be/],
] as const) {
  test(`--limits ${list} is refused`, (t) => {
    t.throws(() => parseLimits(list), { message });
  });
}
