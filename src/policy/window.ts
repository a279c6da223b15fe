/** The names of days, as `Intl` has them, in lower case. */
export const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

type Day = (typeof days)[number];

/** A span of time that repeats. */
export interface Window {
  /** Days on which it begins. Default: each day. */
  days?: readonly Day[] | undefined;
  /** First minute of the day. */
  from: number;
  /** Minute of the day after the last one, on the next day if it is not later than `from`. */
  to: number;
  /** A name of the time zone database. */
  timeZone: string;
}

const minutesOfHour = 60;

/** Reads a time such as `22:30`. Returns undefined if it is none. */
export function minuteOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  return Number(hours) * minutesOfHour + Number(minutes);
}

/** Returns why a text does not name a time zone, or undefined. */
export function timeZoneProblem(name: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return undefined;
  } catch {
    return 'is not the name of a time zone, such as Europe/Berlin';
  }
}

/** Returns whether a time is in a window. */
export function isInWindow(window: Window, time: Date): boolean {
  const { from, to } = window;
  const { day, minute } = localTime(time, window.timeZone);
  const today = isDay(window, day);
  if (from < to) return today && minute >= from && minute < to;
  const yesterday = isDay(window, (day + days.length - 1) % days.length);
  return (today && minute >= from) || (yesterday && minute < to);
}

function isDay({ days: chosen }: Window, index: number): boolean {
  const day = days[index];
  return chosen === undefined || (day !== undefined && chosen.includes(day));
}

function localTime(time: Date, timeZone: string): { day: number; minute: number } {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const name = (parts['weekday'] ?? '').toLowerCase();
  const minute = minuteOfDay(`${parts['hour'] ?? ''}:${parts['minute'] ?? ''}`);
  const day = days.findIndex((known) => known === name);
  if (day < 0 || minute === undefined) throw new Error(`no time in the time zone ${timeZone}`);
  return { day, minute };
}
