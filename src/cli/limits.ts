import * as z from 'zod';
import { type ChartLimits, defaultChartLimits } from '../chart/limits.ts';
import { defaultRenderLimits, type RenderLimits } from '../render/limits.ts';
import { defaultTextLimits, type TextLimits } from '../workers/limits.ts';

/** All limits that a user may set, by the names in docs/limits.md. */
export interface Limits {
  render: RenderLimits;
  chart: ChartLimits;
  text: TextLimits;
}

const defaults = { ...defaultRenderLimits, ...defaultChartLimits, ...defaultTextLimits };

/** Parses `steps=1000000,memoryMb=128`. A limit that is not named keeps its default. */
export const limitsSchema = z.string().transform((text, context): Limits => {
  const given: Record<string, number> = { ...defaults };
  for (const part of text.split(',').map((item) => item.trim())) {
    if (part === '') continue;
    const [name = '', value = ''] = part.split('=');
    if (!Object.hasOwn(defaults, name)) {
      context.addIssue({
        code: 'custom',
        message: `unknown limit ${JSON.stringify(name)}; the limits are ${Object.keys(defaults).join(', ')}`,
      });
    } else if (!/^[1-9][0-9]{0,14}$/.test(value)) {
      context.addIssue({ code: 'custom', message: `${name} must be a positive whole number` });
    } else given[name] = Number(value);
  }
  return {
    render: pick(given, defaultRenderLimits),
    chart: pick(given, defaultChartLimits),
    text: pick(given, defaultTextLimits),
  };
});

/** Returns the numbers whose names are keys of `like`. */
function pick<T extends object>(given: Readonly<Record<string, number>>, like: T): T {
  // `given` has a number for each of the names
  return Object.fromEntries(Object.keys(like).map((name) => [name, given[name]])) as T;
}

/** Returns the limits that a flag sets. Throws an error that names the flag and the problem. */
export function parseLimits(flag: string | undefined): Limits {
  const parsed = limitsSchema.safeParse(flag ?? '');
  if (parsed.success) return parsed.data;
  throw new Error(`--limits: ${parsed.error.issues.map(({ message }) => message).join('; ')}`);
}
