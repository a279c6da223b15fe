import { type GoFunction, GoObject, type Int, int } from './value.ts';

/** Date in the Gregorian calendar. */
export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

const daysInEra = 146_097;
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** English names, January first. */
export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** English names, Sunday first. */
export const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Whether the year has a 29th of February. */
export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Number of days in a month; January is 1. */
export function daysInMonth(month: number, year: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (monthDays[month - 1] ?? 0);
}

/** Returns the date that is `day` days after 1970-01-01. */
export function dateOfDay(day: number): CivilDate {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / daysInEra);
  const dayOfEra = shifted - era * daysInEra;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

/**
 * Returns the number of days from 1970-01-01 to a date. Months and days out of range are
 * normalized, as in Go: October 32 is November 1.
 */
export function dayOfDate({ year, month, day }: CivilDate): number {
  const wholeYear = year + Math.floor((month - 1) / 12);
  const wholeMonth = ((((month - 1) % 12) + 12) % 12) + 1;
  const shiftedYear = wholeMonth <= 2 ? wholeYear - 1 : wholeYear;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * (wholeMonth > 2 ? wholeMonth - 3 : wholeMonth + 9) + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * daysInEra + dayOfEra - 719_468 + day - 1;
}

/** Returns the day of the year; January 1 is 1. */
export function dayOfYear(date: CivilDate): number {
  return dayOfDate(date) - dayOfDate({ year: date.year, month: 1, day: 1 }) + 1;
}

/** Returns the day of the week for a number of days after 1970-01-01; Sunday is 0. */
export function weekdayOfDay(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

/** A `time.Month` or `time.Weekday`: a number that prints as its name. */
export class CalendarName extends GoObject {
  readonly goType: string;
  readonly kind = 'int';
  readonly #number: number;
  readonly #name: string;

  constructor(goType: string, number: number, name: string) {
    super();
    this.goType = goType;
    this.#number = number;
    this.#name = name;
  }

  override underlying(): Int {
    return int(this.#number);
  }

  override text(): string {
    return this.#name;
  }

  override method(name: string): GoFunction | undefined {
    return name === 'String' ? { params: [], call: () => this.#name } : undefined;
  }
}

/** Returns a `time.Month`; January is 1. */
export function monthOf(number: number): CalendarName {
  return new CalendarName('time.Month', number, monthNames[number - 1] ?? `%!Month(${number})`);
}

/** Returns a `time.Weekday`; Sunday is 0. */
export function weekdayOf(number: number): CalendarName {
  return new CalendarName('time.Weekday', number, weekdayNames[number] ?? `%!Weekday(${number})`);
}
