import { dateOfDay, dayOfYear, monthNames, weekdayNames, weekdayOfDay } from './calendar.ts';
import { type LayoutElement, nextChunk } from './time-layout.ts';
import type { ZoneRule } from './time-zone.ts';

/** An instant, with the zone rule for displaying it. */
export interface ZonedInstant extends ZoneRule {
  /** Seconds since 1970-01-01 00:00:00 UTC. */
  readonly seconds: bigint;
  /** 0 to 999,999,999. */
  readonly nanoseconds: number;
}

/** Date and time of day. */
export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Days since 1970-01-01. */
  readonly dayNumber: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Returns date and time of day in the zone. */
export function civilTime({ seconds, offset }: ZonedInstant): CivilTime {
  const local = seconds + BigInt(offset);
  const secondOfDay = Number(((local % 86_400n) + 86_400n) % 86_400n);
  const dayNumber = Number((local - BigInt(secondOfDay)) / 86_400n);
  return {
    ...dateOfDay(dayNumber),
    dayNumber,
    hour: Math.floor(secondOfDay / 3600),
    minute: Math.floor((secondOfDay % 3600) / 60),
    second: secondOfDay % 60,
  };
}

/** Formats a time by a layout of package time. */
export function formatTime(instant: ZonedInstant, layout: string): string {
  const civil = civilTime(instant);
  let text = '';
  for (let rest = layout; rest !== '';) {
    const chunk = nextChunk(rest);
    text += chunk.prefix;
    if (chunk.element === undefined) break;
    text += chunk.element === 'fraction' ? fraction(instant, chunk.text) : element(chunk.element, civil, instant);
    ({ rest } = chunk);
  }
  return text;
}

function fraction({ nanoseconds }: ZonedInstant, layout: string): string {
  const digits = nanoseconds
    .toString()
    .padStart(9, '0')
    .slice(0, layout.length - 1)
    .padEnd(layout.length - 1, '0');
  if (layout.endsWith('0')) return layout.charAt(0) + digits;
  const significant = digits.replace(/(?<!0)0+$/, '');
  return significant === '' ? '' : layout.charAt(0) + significant;
}

function element(name: LayoutElement, civil: CivilTime, instant: ZonedInstant): string {
  switch (name) {
    case '2006':
      return pad(civil.year, 4);
    case '06':
      return pad(Math.abs(civil.year) % 100, 2);
    case 'January':
      return monthNames[civil.month - 1] ?? '';
    case 'Jan':
      return monthNames[civil.month - 1]?.slice(0, 3) ?? '';
    case '1':
      return String(civil.month);
    case '01':
      return pad(civil.month, 2);
    case 'Monday':
      return weekdayNames[weekdayOfDay(civil.dayNumber)] ?? '';
    case 'Mon':
      return weekdayNames[weekdayOfDay(civil.dayNumber)]?.slice(0, 3) ?? '';
    case '2':
      return String(civil.day);
    case '_2':
      return String(civil.day).padStart(2);
    case '02':
      return pad(civil.day, 2);
    case '__2':
      return String(dayOfYear(civil)).padStart(3);
    case '002':
      return pad(dayOfYear(civil), 3);
    case '15':
      return pad(civil.hour, 2);
    case '3':
      return String(civil.hour % 12 || 12);
    case '03':
      return pad(civil.hour % 12 || 12, 2);
    case '4':
      return String(civil.minute);
    case '04':
      return pad(civil.minute, 2);
    case '5':
      return String(civil.second);
    case '05':
      return pad(civil.second, 2);
    case 'PM':
      return civil.hour >= 12 ? 'PM' : 'AM';
    case 'pm':
      return civil.hour >= 12 ? 'pm' : 'am';
    case 'MST':
      return instant.abbreviation || formatOffset(instant.offset, '-0700');
    default:
      return formatOffset(instant.offset, name);
  }
}

/** Go writes the sign of years before 0 in front of the padding. */
function pad(number: number, width: number): string {
  const digits = String(Math.abs(number)).padStart(width, '0');
  return number < 0 ? `-${digits}` : digits;
}

function formatOffset(offset: number, layout: string): string {
  if (layout.startsWith('Z') && offset === 0) return 'Z';
  const minutes = Math.trunc(offset / 60);
  const size = Math.abs(minutes);
  const colon = layout.includes(':') ? ':' : '';
  let text = (minutes < 0 ? '-' : '+') + pad(Math.floor(size / 60), 2);
  if (layout.length > 3) text += colon + pad(size % 60, 2);
  if (/00:?00$/.test(layout)) text += colon + pad(Math.abs(offset) % 60, 2);
  return text;
}
