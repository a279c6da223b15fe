import { z } from 'zod';
import { defaultChartLimits, type ChartLimits } from '../chart/limits.ts';
import { defaultRenderLimits, type RenderLimits } from '../render/limits.ts';

/** All that a user may set, by the names that docs/limits.md has. */
export interface Limits {
  render: RenderLimits;
  chart: ChartLimits;
}

const defaults = { ...defaultRenderLimits, ...defaultChartLimits };

export const limitsFlag = '--limits <list>';
export const limitsDescription =
  'how far charts and renders may go, as steps=1000000,memoryMb=128; docs/limits.md has the names';

/** Reads `steps=1000000,memoryMb=128`; what is not named keeps its default. */
export const limitsSchema = z.string().transform((text, context): Limits => {
  const given: Record<string, number> = { ...defaults };
  for (const part of text.split(',').map((item) => item.trim())) {
    if (part === '') continue;
    const [name = '', value = ''] = part.split('=');
    if (!Object.hasOwn(defaults, name)) {
      context.addIssue({
        code: 'custom',
        message: `there is no limit ${JSON.stringify(name)}; known are ${Object.keys(defaults).join(', ')}`,
      });
    } else if (!/^[1-9][0-9]{0,14}$/.test(value)) {
      context.addIssue({ code: 'custom', message: `${name} must be a whole number from 1 on` });
    } else given[name] = Number(value);
  }
  return { render: pick(given, defaultRenderLimits), chart: pick(given, defaultChartLimits) };
});

/** Of all numbers those that `like` has. */
function pick<T extends object>(given: Readonly<Record<string, number>>, like: T): T {
  // `given` has a number for each of the names
  return Object.fromEntries(Object.keys(like).map((name) => [name, given[name]])) as T;
}

/** The limits that a flag names. Throws an error that says what is wrong with it. */
export function limitsOf(flag: string | undefined): Limits {
  const parsed = limitsSchema.safeParse(flag ?? '');
  if (parsed.success) return parsed.data;
  throw new Error(`--limits: ${parsed.error.issues.map(({ message }) => message).join('; ')}`);
}
