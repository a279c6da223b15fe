import { Buffer } from 'node:buffer';
import { dayOfDate, dayOfYear, monthOf, weekdayOf, weekdayOfDay } from './calendar.ts';
import { Duration, nanosecondsOf, quoteForTime } from './duration.ts';
import { toBytes } from './text.ts';
import { type CivilTime, civilTime, formatTime, type ZonedInstant } from './time-format.ts';
import { localSeconds } from './time-parse.ts';
import { isDaylightSaving, utc, type Zone } from './time-zone.ts';
import { GoError, type GoFunction, GoObject, Int, int, int64, NilPointer, type Value } from './value.ts';

const billion = 1_000_000_000n;
/** Seconds from 0001-01-01, the start of Go's time, to 1970-01-01. */
const secondsBeforeEpoch = 62_135_596_800n;

/** Go's representation of UTC. */
const nilLocation = new NilPointer('*time.Location');

/** Time format of JSON. */
const rfc3339 = '2006-01-02T15:04:05.999999999Z07:00';

/** A `time.Time`. */
export class Time extends GoObject {
  readonly goType = 'time.Time';
  readonly kind = 'struct';
  /** Nanoseconds since 1970-01-01 00:00:00 UTC. */
  readonly instant: bigint;
  readonly zone: Zone;
  readonly #local: Zone;
  /** Reading of Go's monotonic clock, in nanoseconds; only the result of `now` has one. */
  readonly #monotonic: bigint | undefined;

  /** @param local The time zone of this machine. */
  constructor(instant: bigint, zone: Zone, local: Zone, monotonic?: bigint) {
    super();
    this.instant = instant;
    this.zone = zone;
    this.#local = local;
    this.#monotonic = monotonic;
  }

  /** Seconds since 1970-01-01 00:00:00 UTC. */
  get seconds(): bigint {
    return floorDivide(this.instant, billion);
  }

  /** Returns the time with the zone rule in effect. */
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
    return new Time(this.instant, zone, this.#local);
  }

  /** Returns the same time in the time zone of this machine. */
  inLocalZone(): Time {
    return this.in(this.#local);
  }

  add(nanoseconds: bigint): Time {
    const monotonic = this.#monotonic === undefined ? undefined : this.#monotonic + nanoseconds;
    return new Time(this.instant + nanoseconds, this.zone, this.#local, monotonic);
  }

  /** `Time.AddDate`: adds to year, month and day, and normalizes values out of range. */
  addDate(years: number, months: number, days: number): Time {
    const { year, month, day, dayNumber } = this.civil();
    const { seconds, offset, nanoseconds } = this.zoned();
    const secondOfDay = seconds + BigInt(offset) - BigInt(dayNumber) * 86_400n;
    const moved = dayOfDate({ year: year + years, month: month + months, day: day + days });
    const wall = BigInt(moved) * 86_400n + secondOfDay;
    return new Time(localSeconds(wall, this.zone) * billion + BigInt(nanoseconds), this.zone, this.#local);
  }

  /** Rounds to a multiple of a duration since the year 1. `isUp` decides by the remainder. */
  roundToMultiple(multiple: bigint, isUp: (rest: bigint) => boolean): Time {
    if (multiple <= 0n) return this.in(this.zone);
    const rest = modulo(this.instant + secondsBeforeEpoch * billion, multiple);
    return new Time(this.instant - rest + (isUp(rest) ? multiple : 0n), this.zone, this.#local);
  }

  override text(): string {
    return this.format('2006-01-02 15:04:05.999999999 -0700 MST') + monotonicText(this.#monotonic);
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
      ['loc', this.zone === utc ? nilLocation : new Location(this.zone)],
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

/** Returns Go's zero time. */
export function zeroTime(): Time {
  return new Time(-secondsBeforeEpoch * billion, utc, utc);
}

/** Returns a time in the zone of this machine from seconds since 1970. */
export function timeOfSeconds(seconds: bigint, local: Zone): Time {
  return new Time(seconds * billion, local, local);
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

  override isSame(other: GoObject): boolean {
    return other instanceof Location && other.zone === this.zone;
  }

  /** Those of a zone with a fixed offset; others are only compared by `isSame`. */
  override members(): readonly (readonly [string, Value])[] {
    const { abbreviation, offset } = this.zone.at(0);
    return [
      ['name', this.zone.name],
      ['zone', [abbreviation, int64(BigInt(offset))]],
      ...['tx', 'extend', 'cacheStart', 'cacheEnd', 'cacheZone'].map((name) => [name, null] as const),
    ];
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

function appending(params: readonly string[], write: (time: Time, ...args: never[]) => Uint8Array): Method {
  return (time) => ({
    params: ['[]uint8', ...params],
    call: (bytes: Uint8Array, ...args: never[]) => Buffer.concat([bytes, write(time, ...args)]),
  });
}

function refused(refusal: string): Method {
  return () => ({ params: [], refusal, call: () => null });
}

function secondResult(name: string, type: string): Method {
  return refused(`invalid function signature for ${name}: second return value should be error; is ${type}`);
}

/**
 * `Time.MarshalBinary`: writes a version, seconds since the year 1, nanoseconds, and minutes east
 * of UTC, or -1 for UTC itself.
 */
function binaryOf(time: Time): Uint8Array {
  const { seconds, nanoseconds, offset } = time.zoned();
  const isUtc = time.zone === utc;
  const minutes = Math.trunc(offset / 60);
  if (!isUtc && (minutes < -32768 || minutes === -1 || minutes > 32767)) {
    throw new GoError('Time.MarshalBinary: unexpected zone offset');
  }
  const rest = isUtc ? 0 : offset % 60;
  const bytes = Buffer.alloc(rest === 0 ? 15 : 16);
  bytes.writeUInt8(rest === 0 ? 1 : 2, 0);
  bytes.writeBigInt64BE(seconds + secondsBeforeEpoch, 1);
  bytes.writeInt32BE(nanoseconds, 9);
  bytes.writeInt16BE(isUtc ? -1 : minutes, 13);
  if (rest !== 0) bytes.writeInt8(rest, 15);
  return new Uint8Array(bytes);
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
  ['IsDST', getter((time) => isDaylightSaving(time.zone, Number(time.seconds)))],
  ['UTC', getter((time) => time.in(utc))],
  ['Local', getter((time) => time.inLocalZone())],
  ['Clock', refused('function Clock has 3 return values; should be 1 or 2')],
  ['Date', refused('function Date has 3 return values; should be 1 or 2')],
  ['ISOWeek', secondResult('ISOWeek', 'int')],
  ['Zone', secondResult('Zone', 'int')],
  ['ZoneBounds', secondResult('ZoneBounds', 'time.Time')],
  ['Location', getter((time) => new Location(time.zone))],
  ['In', (time) => ({ params: ['*time.Location'], call: (location: Location | null) => inLocation(time, location) })],
  ['Format', (time) => ({ params: ['string'], call: (layout: string) => time.format(layout) })],
  ['Before', relation((a, b) => a < b)],
  ['After', relation((a, b) => a > b)],
  ['Equal', relation((a, b) => a === b)],
  ['Compare', relation((a, b) => int(a < b ? -1 : a > b ? 1 : 0))],
  ['Sub', relation((a, b) => new Duration(clampDuration(a - b)))],
  ['Add', byDuration((time, nanoseconds) => time.add(nanoseconds))],
  ['Truncate', byDuration((time, multiple) => time.roundToMultiple(multiple, () => false))],
  ['Round', byDuration((time, multiple) => time.roundToMultiple(multiple, (rest) => 2n * rest >= multiple))],
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
  ['MarshalBinary', getter(binaryOf)],
  ['GobEncode', getter(binaryOf)],
  ['AppendFormat', appending(['string'], (time, layout: string) => toBytes(time.format(layout)))],
  ['AppendText', appending([], (time) => toBytes(time.json() as string))],
  ['AppendBinary', appending([], binaryOf)],
]);

function inLocation(time: Time, location: Location | null): Time {
  if (location === null) throw new GoError('time: missing Location in call to Time.In');
  return time.in(location.zone);
}

function clampDuration(nanoseconds: bigint): bigint {
  const largest = (1n << 63n) - 1n;
  return nanoseconds > largest ? largest : nanoseconds < -largest - 1n ? -largest - 1n : nanoseconds;
}
