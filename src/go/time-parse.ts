import { dayOfDate, daysInMonth, isLeapYear, monthNames, weekdayNames } from './calendar.ts';
import { quoteForTime } from './duration.ts';
import { type LayoutElement, nextChunk } from './time-layout.ts';
import { fixedZone, utc, type Zone } from './time-zone.ts';
import { GoError } from './value.ts';

/** A parsed time: seconds since 1970, nanoseconds of the second, and its zone. */
export interface ParsedTime {
  readonly seconds: bigint;
  readonly nanoseconds: number;
  readonly zone: Zone;
}

/** Parses a time by a layout as `time.ParseInLocation` does. Throws its error. */
export function parseTime(layout: string, text: string, local: Zone): ParsedTime {
  return new Parser(layout, text, local).parse();
}

/** Parses a time as `UnmarshalJSON` of `time.Time` does: RFC 3339. Undefined if it is not one. */
export function parseJsonTime(text: string, local: Zone): ParsedTime | undefined {
  try {
    return parseTime('2006-01-02T15:04:05Z07:00', text, local);
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    return undefined;
  }
}

/** The text does not match the layout. */
class Mismatch extends Error {
  override readonly name = 'Mismatch';
}

/** A number is out of range for the calendar or clock. */
class OutOfRange extends Error {
  override readonly name = 'OutOfRange';
}

class Parser {
  readonly #layout: string;
  readonly #text: string;
  readonly #local: Zone;
  #rest: string;
  #year = 0;
  #month = -1;
  #day = -1;
  #yearDay = -1;
  #hour = 0;
  #minute = 0;
  #second = 0;
  #nanoseconds = 0;
  #half: 'AM' | 'PM' | undefined;
  #zone: Zone | undefined;
  #offset: number | undefined;
  #zoneName = '';

  constructor(layout: string, text: string, local: Zone) {
    this.#layout = layout;
    this.#text = text;
    this.#local = local;
    this.#rest = text;
  }

  parse(): ParsedTime {
    for (let layout = this.#layout; ;) {
      const chunk = nextChunk(layout);
      if (!this.#skipLiteral(chunk.prefix)) throw this.#cannotParse(this.#rest, chunk.prefix);
      if (chunk.element === undefined) break;
      layout = chunk.rest;
      const before = this.#rest;
      try {
        if (chunk.element === 'fraction') this.#readFraction(chunk.text);
        else this.#read(chunk.element, layout);
      } catch (error) {
        if (error instanceof Mismatch) throw this.#cannotParse(before, chunk.text);
        if (error instanceof OutOfRange) throw this.#problem(`: ${error.message} out of range`);
        throw error;
      }
    }
    if (this.#rest !== '') throw this.#problem(`: extra text: ${quoteForTime(this.#rest)}`);
    return this.#result();
  }

  #cannotParse(value: string, element: string): GoError {
    const [text, layout, part, wanted] = [this.#text, this.#layout, value, element].map(quoteForTime);
    return new GoError(`parsing time ${text} as ${layout}: cannot parse ${part} as ${wanted}`);
  }

  #problem(message: string): GoError {
    return new GoError(`parsing time ${quoteForTime(this.#text)}${message}`);
  }

  /** Skips literal text; a run of spaces matches any run of spaces. */
  #skipLiteral(literal: string): boolean {
    for (let wanted = literal; wanted !== '';) {
      if (wanted.startsWith(' ')) {
        if (this.#rest !== '' && !this.#rest.startsWith(' ')) return false;
        wanted = wanted.replace(/^ +/, '');
        this.#rest = this.#rest.replace(/^ +/, '');
      } else {
        if (this.#rest === '' || this.#rest[0] !== wanted[0]) return false;
        wanted = wanted.slice(1);
        this.#rest = this.#rest.slice(1);
      }
    }
    return true;
  }

  #take(pattern: RegExp): string {
    const [taken] = pattern.exec(this.#rest) ?? [];
    if (taken === undefined) throw new Mismatch();
    this.#rest = this.#rest.slice(taken.length);
    return taken;
  }

  #number(pattern: RegExp): number {
    return Number(this.#take(pattern));
  }

  #ranged(pattern: RegExp, low: number, high: number, name: string): number {
    const number = this.#number(pattern);
    if (number < low || number > high) throw new OutOfRange(name);
    return number;
  }

  #name(names: readonly string[], length?: number): number {
    const known = names.map((name) => name.slice(0, length).toLowerCase());
    const index = known.findIndex((name) => this.#rest.slice(0, name.length).toLowerCase() === name);
    if (index < 0) throw new Mismatch();
    this.#rest = this.#rest.slice(known[index]?.length);
    return index;
  }

  #read(element: LayoutElement, restOfLayout: string): void {
    switch (element) {
      case '2006':
        this.#year = this.#number(/^[0-9]{4}/);
        break;
      case '06': {
        const year = this.#number(/^(?:[0-9]{2}|[-+][0-9])/);
        this.#year = year >= 69 ? 1900 + year : 2000 + year;
        break;
      }
      case 'January':
        this.#month = this.#name(monthNames) + 1;
        break;
      case 'Jan':
        this.#month = this.#name(monthNames, 3) + 1;
        break;
      case '1':
        this.#month = this.#ranged(/^[0-9]{1,2}/, 1, 12, 'month');
        break;
      case '01':
        this.#month = this.#ranged(/^[0-9]{2}/, 1, 12, 'month');
        break;
      case 'Monday':
        this.#name(weekdayNames);
        break;
      case 'Mon':
        this.#name(weekdayNames, 3);
        break;
      case '_2':
        this.#rest = this.#rest.replace(/^ /, '');
        this.#day = this.#number(/^[0-9]{1,2}/);
        break;
      case '2':
        this.#day = this.#number(/^[0-9]{1,2}/);
        break;
      case '02':
        this.#day = this.#number(/^[0-9]{2}/);
        break;
      case '__2':
        this.#rest = this.#rest.replace(/^ {1,2}/, '');
        this.#yearDay = this.#number(/^[0-9]{1,3}/);
        break;
      case '002':
        this.#yearDay = this.#number(/^[0-9]{3}/);
        break;
      case '15':
        this.#hour = this.#ranged(/^[0-9]{1,2}/, 0, 23, 'hour');
        break;
      case '3':
        this.#hour = this.#ranged(/^[0-9]{1,2}/, 0, 12, 'hour');
        break;
      case '03':
        this.#hour = this.#ranged(/^[0-9]{2}/, 0, 12, 'hour');
        break;
      case '4':
        this.#minute = this.#ranged(/^[0-9]{1,2}/, 0, 59, 'minute');
        break;
      case '04':
        this.#minute = this.#ranged(/^[0-9]{2}/, 0, 59, 'minute');
        break;
      case '5':
        this.#readSecond(/^[0-9]{1,2}/, restOfLayout);
        break;
      case '05':
        this.#readSecond(/^[0-9]{2}/, restOfLayout);
        break;
      case 'PM':
        this.#half = this.#take(/^(?:AM|PM)/) === 'PM' ? 'PM' : 'AM';
        break;
      case 'pm':
        this.#half = this.#take(/^(?:am|pm)/) === 'pm' ? 'PM' : 'AM';
        break;
      case 'MST':
        this.#readZoneName();
        break;
      default:
        this.#readOffset(element);
    }
  }

  /** Reads seconds. A fraction may follow even if the layout has none. */
  #readSecond(pattern: RegExp, restOfLayout: string): void {
    this.#second = this.#ranged(pattern, 0, 59, 'second');
    if (/^[.,][0-9]/.test(this.#rest) && nextChunk(restOfLayout).element !== 'fraction') {
      this.#nanoseconds = nanosecondsOf(this.#take(/^[.,][0-9]+/));
    }
  }

  #readFraction(layout: string): void {
    if (layout.endsWith('9')) {
      if (/^[.,][0-9]/.test(this.#rest)) this.#nanoseconds = nanosecondsOf(this.#take(/^[.,][0-9]+/));
    } else {
      this.#nanoseconds = nanosecondsOf(this.#take(new RegExp(`^[.,][0-9]{${layout.length - 1}}`)));
    }
  }

  #readZoneName(): void {
    if (this.#rest.startsWith('UTC')) {
      this.#zone = utc;
      this.#rest = this.#rest.slice(3);
      return;
    }
    const match = readZoneAbbreviation(this.#rest);
    if (match === undefined) throw new Mismatch();
    this.#zoneName = match;
    this.#rest = this.#rest.slice(match.length);
  }

  #readOffset(layout: LayoutElement): void {
    if (layout.startsWith('Z') && this.#rest.startsWith('Z')) {
      this.#zone = utc;
      this.#rest = this.#rest.slice(1);
      return;
    }
    const colon = layout.includes(':') ? ':' : '';
    const fields = layout.replaceAll(/[^0-9]/g, '').length / 2;
    const field = '([0-9]{2})';
    const pattern = new RegExp(`^([+-])${Array.from({ length: fields }, () => field).join(colon)}`);
    const [taken, sign, hours = '0', minutes = '0', seconds = '0'] = pattern.exec(this.#rest) ?? [];
    if (taken === undefined) throw new Mismatch();
    this.#rest = this.#rest.slice(taken.length);
    if (Number(seconds) > 60) throw new OutOfRange('time zone offset second');
    if (Number(minutes) > 60) throw new OutOfRange('time zone offset minute');
    if (Number(hours) > 24) throw new OutOfRange('time zone offset hour');
    const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    this.#offset = sign === '-' ? -offset : offset;
  }

  #result(): ParsedTime {
    if (this.#half === 'PM' && this.#hour < 12) this.#hour += 12;
    else if (this.#half === 'AM' && this.#hour === 12) this.#hour = 0;
    if (this.#yearDay >= 0) this.#useYearDay();
    if (this.#month < 0) this.#month = 1;
    if (this.#day < 0) this.#day = 1;
    if (this.#day < 1 || this.#day > daysInMonth(this.#month, this.#year)) throw this.#problem(': day out of range');
    const day = dayOfDate({ year: this.#year, month: this.#month, day: this.#day });
    return this.#inZone(BigInt(day) * 86_400n + BigInt((this.#hour * 60 + this.#minute) * 60 + this.#second));
  }

  #useYearDay(): void {
    if (this.#yearDay < 1 || this.#yearDay > (isLeapYear(this.#year) ? 366 : 365)) {
      throw this.#problem(': day-of-year out of range');
    }
    let [month, day] = [1, this.#yearDay];
    while (day > daysInMonth(month, this.#year)) {
      day -= daysInMonth(month, this.#year);
      month++;
    }
    if (this.#month >= 0 && this.#month !== month) throw this.#problem(': day-of-year does not match month');
    if (this.#day >= 0 && this.#day !== day) throw this.#problem(': day-of-year does not match day');
    [this.#month, this.#day] = [month, day];
  }

  #inZone(wallSeconds: bigint): ParsedTime {
    const nanoseconds = this.#nanoseconds;
    if (this.#zone !== undefined)
      return { seconds: localSeconds(wallSeconds, this.#zone), nanoseconds, zone: this.#zone };
    if (this.#offset !== undefined && this.#offset !== -1) {
      const seconds = wallSeconds - BigInt(this.#offset);
      const rule = this.#local.at(Number(seconds));
      const isLocal = rule.offset === this.#offset && ['', rule.abbreviation].includes(this.#zoneName);
      return {
        seconds,
        nanoseconds,
        zone: isLocal ? this.#local : fixedZone(this.#zoneName, this.#zoneName, this.#offset),
      };
    }
    if (this.#zoneName !== '') {
      const rule = this.#local.named(this.#zoneName, Number(wallSeconds));
      if (rule !== undefined) return { seconds: wallSeconds - BigInt(rule.offset), nanoseconds, zone: this.#local };
      const offset = this.#zoneName.startsWith('GMT') ? Number(this.#zoneName.slice(3)) * 3600 : 0;
      return { seconds: wallSeconds, nanoseconds, zone: fixedZone(this.#zoneName, this.#zoneName, offset) };
    }
    return { seconds: localSeconds(wallSeconds, this.#local), nanoseconds, zone: this.#local };
  }
}

/** Returns the instant of a local time in a zone, as `time.Date` does. */
export function localSeconds(wallSeconds: bigint, zone: Zone): bigint {
  const guess = wallSeconds - BigInt(zone.at(Number(wallSeconds)).offset);
  return wallSeconds - BigInt(zone.at(Number(guess)).offset);
}

/** Converts a fraction of a second, with its point; like Go, uses the first nine digits. */
function nanosecondsOf(fraction: string): number {
  return Number(fraction.slice(1, 10).padEnd(9, '0'));
}

/** Reads a zone abbreviation: three letters, four or five letters that end in T, or an offset. */
function readZoneAbbreviation(text: string): string | undefined {
  const special = /^(?:ChST|MeST)/.exec(text)?.[0];
  if (special !== undefined) return special;
  const offset = /^(GMT)?([+-][0-9]+)?/.exec(text);
  const [, gmt = '', signed = ''] = offset ?? [];
  if (gmt !== '' || (signed !== '' && text.length >= 3)) {
    const valid = signed !== '' && Number(signed.slice(1)) <= 23;
    if (gmt === '') return valid ? signed : undefined;
    return valid ? gmt + signed : gmt;
  }
  const letters = /^[A-Z]{0,6}/.exec(text)?.[0] ?? '';
  if (letters.length === 3) return letters;
  if (letters.length === 4 && (letters.endsWith('T') || letters === 'WITA')) return letters;
  return letters.length === 5 && letters.endsWith('T') ? letters : undefined;
}
