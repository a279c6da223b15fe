import * as z from 'zod';

/** The names of days, as `Intl` has them, in lower case. */
const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const minutesOfHour = 60;
const maxZoneLength = 100;

/** A span of time that repeats. */
export const windowSchema = z.strictObject({
  /** Days on which it begins. Default: each day. */
  days: z
    .array(z.enum(days, { error: `must be one of ${days.join(', ')}` }))
    .min(1)
    .max(days.length)
    .optional(),
  /** The first minute of the day, such as `22:00`. */
  from: timeOfDay(),
  /** The minute after the last one, on the next day if it is not later than `from`. */
  to: timeOfDay(),
  /** Such as `Europe/Berlin`. Default: UTC. */
  timeZone: z
    .string()
    .max(maxZoneLength)
    .superRefine((name, context) => {
      const problem = timeZoneProblem(name);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .default('UTC'),
});
/** A span of time that repeats, in minutes of the day. */
export type Window = Readonly<z.output<typeof windowSchema>>;

/** Reads a time such as `22:30`. Returns undefined if it is none. */
function minuteOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  return Number(hours) * minutesOfHour + Number(minutes);
}

/** Returns why a text does not name a time zone, or undefined. */
function timeZoneProblem(name: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return undefined;
  } catch {
    return 'is not the name of a time zone, such as Europe/Berlin';
  }
}

/** Returns a function that returns whether a time is in a window. */
export function windowTest(window: Window): (time: Date) => boolean {
  const { from, to, timeZone } = window;
  let format: Intl.DateTimeFormat | undefined; // it takes longer to make than to use
  return (time) => {
    if (timeZone !== 'UTC') format ??= localFormat(timeZone);
    const { day, minute } = format === undefined ? utcTime(time) : localTime(time, format);
    const today = isDay(window, day);
    if (from < to) return today && minute >= from && minute < to;
    const yesterday = isDay(window, (day + days.length - 1) % days.length);
    return (today && minute >= from) || (yesterday && minute < to);
  };
}

function isDay({ days: chosen }: Window, index: number): boolean {
  const day = days[index];
  return chosen === undefined || (day !== undefined && chosen.includes(day));
}

function localFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
}

function utcTime(time: Date): { day: number; minute: number } {
  const minute = time.getUTCHours() * minutesOfHour + time.getUTCMinutes();
  return { day: (time.getUTCDay() + days.length - 1) % days.length, minute }; // `Date` begins with Sunday
}

function localTime(time: Date, format: Intl.DateTimeFormat): { day: number; minute: number } {
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const name = (parts['weekday'] ?? '').toLowerCase();
  const minute = minuteOfDay(`${parts['hour'] ?? ''}:${parts['minute'] ?? ''}`);
  const day = days.findIndex((known) => known === name);
  if (day < 0 || minute === undefined) throw new Error(`no time in the time zone ${format.resolvedOptions().timeZone}`);
  return { day, minute };
}

function timeOfDay() {
  const error = 'must be a time from 00:00 to 23:59, in quotes';
  return z
    .string()
    .max(5, error)
    .transform((text, context) => {
      const minute = minuteOfDay(text);
      if (minute !== undefined) return minute;
      context.addIssue({ code: 'custom', message: error });
      return z.NEVER;
    });
}
