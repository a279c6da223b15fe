import { dayOfDate, dayOfYear, monthOf, weekdayOf, weekdayOfDay } from './calendar.ts';
import { Duration, nanosecondsOf, quoteForTime } from './duration.ts';
import { civilTime, formatTime, type CivilTime, type ZonedInstant } from './time-format.ts';
import { localSeconds } from './time-parse.ts';
import { utc, type Zone } from './time-zone.ts';
import { toBytes } from './text.ts';
import { GoError, GoObject, Int, int, int64, type GoFunction, type Value } from './value.ts';

const billion = 1_000_000_000n;
/** Seconds from 0001-01-01, which Go counts from, to 1970-01-01. */
const secondsBeforeEpoch = 62_135_596_800n;

/** `2006-01-02T15:04:05.999999999Z07:00`, as JSON has times. */
const rfc3339 = '2006-01-02T15:04:05.999999999Z07:00';

/** A `time.Time`. */
export class Time extends GoObject {
  readonly goType = 'time.Time';
  readonly kind = 'struct';
  /** Nanoseconds since 1970-01-01 00:00:00 UTC. */
  readonly instant: bigint;
  readonly zone: Zone;
  /** What Go's monotonic clock showed, in nanoseconds; only the time that it is now has that. */
  private readonly monotonic: bigint | undefined;

  constructor(instant: bigint, zone: Zone, monotonic?: bigint) {
    super();
    this.instant = instant;
    this.zone = zone;
    this.monotonic = monotonic;
  }

  /** Seconds since 1970-01-01 00:00:00 UTC. */
  get seconds(): bigint {
    return floorDivide(this.instant, billion);
  }

  /** The time with the rule of its zone. */
  zoned(): ZonedInstant {
    const { seconds } = this;
    return { ...this.zone.at(Number(seconds)), seconds, nanoseconds: Number(this.instant - seconds * billion) };
  }

  civil(): CivilTime {
    return civilTime(this.zoned());
  }

  format(layout: string): string {
    return formatTime(this.zoned(), layout);
  }

  in(zone: Zone): Time {
    return new Time(this.instant, zone);
  }

  add(nanoseconds: bigint): Time {
    const monotonic = this.monotonic === undefined ? undefined : this.monotonic + nanoseconds;
    return new Time(this.instant + nanoseconds, this.zone, monotonic);
  }

  /** Adds to the fields of the calendar; what is over goes into the next field. */
  addDate(years: number, months: number, days: number): Time {
    const { year, month, day, dayNumber } = this.civil();
    const { seconds, offset, nanoseconds } = this.zoned();
    const secondOfDay = seconds + BigInt(offset) - BigInt(dayNumber) * 86_400n;
    const moved = dayOfDate({ year: year + years, month: month + months, day: day + days });
    const wall = BigInt(moved) * 86_400n + secondOfDay;
    return new Time(localSeconds(wall, this.zone) * billion + BigInt(nanoseconds), this.zone);
  }

  /** Rounds to multiples since the year 1; `up` decides by what is left over. */
  toMultiple(multiple: bigint, up: (rest: bigint) => boolean): Time {
    if (multiple <= 0n) return this.in(this.zone);
    const rest = modulo(this.instant + secondsBeforeEpoch * billion, multiple);
    return new Time(this.instant - rest + (up(rest) ? multiple : 0n), this.zone);
  }

  override text(): string {
    return this.format('2006-01-02 15:04:05.999999999 -0700 MST') + monotonicText(this.monotonic);
  }

  override goString(): string {
    const { year, month, day, hour, minute, second } = this.civil();
    const zone =
      this.zone === utc
        ? 'time.UTC'
        : this.zone.name === 'Local'
          ? 'time.Local'
          : `time.Location(${quoteForTime(this.zone.name)})`;
    const fields = [year, `time.${monthOf(month).text()}`, day, hour, minute, second, this.zoned().nanoseconds, zone];
    return `time.Date(${fields.join(', ')})`;
  }

  override members(): readonly (readonly [string, Value])[] {
    const { seconds, nanoseconds } = this.zoned();
    return [
      ['wall', new Int('uint64', BigInt(nanoseconds))],
      ['ext', int64(seconds + secondsBeforeEpoch)],
      ['loc', this.zone === utc ? null : new Location(this.zone)],
    ];
  }

  override json(): Value {
    const { year } = this.civil();
    if (year < 0 || year > 9999) throw new GoError('Time.MarshalJSON: year outside of range [0,9999]');
    return this.format(rfc3339);
  }

  override method(name: string): GoFunction | undefined {
    return methods.get(name)?.(this);
  }
}

/** Go's zero time. */
export function zeroTime(): Time {
  return new Time(-secondsBeforeEpoch * billion, utc);
}

/** A time from seconds since 1970. */
export function timeOfSeconds(seconds: bigint, zone: Zone): Time {
  return new Time(seconds * billion, zone);
}

/** A `*time.Location`. */
class Location extends GoObject {
  readonly goType = '*time.Location';
  readonly kind = 'ptr';
  readonly zone: Zone;

  constructor(zone: Zone) {
    super();
    this.zone = zone;
  }

  override text(): string {
    return this.zone.name;
  }

  override method(name: string): GoFunction | undefined {
    return name === 'String' ? { params: [], call: () => this.zone.name } : undefined;
  }
}

function monotonicText(nanoseconds: bigint | undefined): string {
  if (nanoseconds === undefined) return '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = (size % billion).toString().padStart(9, '0');
  return ` m=${nanoseconds < 0n ? '-' : '+'}${size / billion}.${fraction}`;
}

function floorDivide(a: bigint, b: bigint): bigint {
  return (a - modulo(a, b)) / b;
}

function modulo(a: bigint, b: bigint): bigint {
  return ((a % b) + b) % b;
}

type Method = (time: Time) => GoFunction;

function getter(read: (time: Time) => Value): Method {
  return (time) => ({ params: [], call: () => read(time) });
}

function relation(holds: (a: bigint, b: bigint) => Value): Method {
  return (time) => ({ params: ['time.Time'], call: (other: Time) => holds(time.instant, other.instant) });
}

function byDuration(change: (time: Time, nanoseconds: bigint) => Time): Method {
  return (time) => ({
    params: ['time.Duration'],
    call: (duration: Duration | Int) => change(time, nanosecondsOf(duration)),
  });
}

function civilField(field: 'year' | 'day' | 'hour' | 'minute' | 'second'): Method {
  return getter((time) => int(time.civil()[field]));
}

function marshalled(write: (text: string) => string): Method {
  return getter((time) => toBytes(write(time.json() as string)));
}

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['Year', civilField('year')],
  ['Month', getter((time) => monthOf(time.civil().month))],
  ['Day', civilField('day')],
  ['Hour', civilField('hour')],
  ['Minute', civilField('minute')],
  ['Second', civilField('second')],
  ['Nanosecond', getter((time) => int(time.zoned().nanoseconds))],
  ['YearDay', getter((time) => int(dayOfYear(time.civil())))],
  ['Weekday', getter((time) => weekdayOf(weekdayOfDay(time.civil().dayNumber)))],
  ['Unix', getter((time) => int64(time.seconds))],
  ['UnixMilli', getter((time) => int64(floorDivide(time.instant, 1_000_000n)))],
  ['UnixMicro', getter((time) => int64(floorDivide(time.instant, 1_000n)))],
  ['UnixNano', getter((time) => int64(time.instant))],
  ['IsZero', getter((time) => time.instant === -secondsBeforeEpoch * billion)],
  ['String', getter((time) => time.text())],
  ['GoString', getter((time) => time.goString())],
  ['UTC', getter((time) => time.in(utc))],
  ['Location', getter((time) => new Location(time.zone))],
  ['In', (time) => ({ params: ['*time.Location'], call: (location: Location | null) => inLocation(time, location) })],
  ['Format', (time) => ({ params: ['string'], call: (layout: string) => time.format(layout) })],
  ['Before', relation((a, b) => a < b)],
  ['After', relation((a, b) => a > b)],
  ['Equal', relation((a, b) => a === b)],
  ['Compare', relation((a, b) => int(a < b ? -1 : a > b ? 1 : 0))],
  ['Sub', relation((a, b) => new Duration(clampDuration(a - b)))],
  ['Add', byDuration((time, nanoseconds) => time.add(nanoseconds))],
  ['Truncate', byDuration((time, multiple) => time.toMultiple(multiple, () => false))],
  ['Round', byDuration((time, multiple) => time.toMultiple(multiple, (rest) => 2n * rest >= multiple))],
  [
    'AddDate',
    (time) => ({
      params: ['int', 'int', 'int'],
      call: (years: Int, months: Int, days: Int) =>
        time.addDate(Number(years.value), Number(months.value), Number(days.value)),
    }),
  ],
  ['MarshalJSON', marshalled((text) => `"${text}"`)],
  ['MarshalText', marshalled((text) => text)],
]);

function inLocation(time: Time, location: Location | null): Time {
  if (location === null) throw new GoError('time: missing Location in call to Time.In');
  return time.in(location.zone);
}

function clampDuration(nanoseconds: bigint): bigint {
  const largest = (1n << 63n) - 1n;
  return nanoseconds > largest ? largest : nanoseconds < -largest - 1n ? -largest - 1n : nanoseconds;
}
