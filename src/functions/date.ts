import { formatDuration, parseDuration, roundDuration } from '../go/duration.ts';
import { type Host, onceValue } from '../go/host.ts';
import { parseInteger } from '../go/parse-number.ts';
import { Time, timeOfSeconds, zeroTime } from '../go/time.ts';
import { parseTime } from '../go/time-parse.ts';
import { loadZone, utc } from '../go/time-zone.ts';
import { type GoFunction, Int, type Value } from '../go/value.ts';
import type { FunctionFamily } from './support/family.ts';
import { localZone } from './support/local-zone.ts';
import { recover } from './support/recover.ts';

const second = 1_000_000_000n;
const isoDate = '2006-01-02';

/**
 * Sprig's functions over times and durations. If the argument is not a time, they use the current
 * time.
 */
export function dateFunctions(host: Host): FunctionFamily {
  const local = onceValue(() => localZone(host));
  const started = host.now();
  const now = (): Time => {
    const instant = host.now();
    return new Time(instant, local(), local(), instant - started);
  };
  const timeOf = (value: Value): Time => {
    if (value instanceof Time) return value;
    return value instanceof Int && ['int', 'int64', 'int32'].includes(value.kind)
      ? timeOfSeconds(value.value, local())
      : now();
  };
  const inZone = (layout: string, value: Value, zone: string): string =>
    timeOf(value)
      .in(zone === 'Local' ? local() : (loadZone(zone) ?? utc))
      .format(layout);
  const since = (time: Time): bigint => host.now() - time.instant;

  const date: GoFunction = {
    params: ['string', 'interface {}', 'string'],
    call: (layout: string, value: Value, zone: string) => inZone(layout, value, zone),
  };
  const modify: GoFunction = {
    params: ['string', 'time.Time'],
    call: (duration: string, time: Time) =>
      recover(
        () => time.add(parseDuration(duration)),
        () => time,
      ),
  };
  const mustModify: GoFunction = {
    params: ['string', 'time.Time'],
    call: (duration: string, time: Time) => time.add(parseDuration(duration)),
  };
  const toDate = (layout: string, text: string): Time => {
    const { seconds, nanoseconds, zone } = parseTime(layout, text, local());
    return new Time(seconds * second + BigInt(nanoseconds), zone, local());
  };
  return {
    now: { params: [], call: now },
    date: {
      params: ['string', 'interface {}'],
      call: (layout: string, value: Value) => inZone(layout, value, 'Local'),
    },
    dateInZone: date,
    date_in_zone: date,
    htmlDate: { params: ['interface {}'], call: (value: Value) => inZone(isoDate, value, 'Local') },
    htmlDateInZone: {
      params: ['interface {}', 'string'],
      call: (value: Value, zone: string) => inZone(isoDate, value, zone),
    },
    dateModify: modify,
    date_modify: modify,
    mustDateModify: mustModify,
    must_date_modify: mustModify,
    toDate: {
      params: ['string', 'string'],
      call: (layout: string, text: string) => recover(() => toDate(layout, text), zeroTime),
    },
    mustToDate: { params: ['string', 'string'], call: toDate },
    unixEpoch: { params: ['time.Time'], call: (time: Time) => time.seconds.toString() },
    ago: {
      params: ['interface {}'],
      call: (value: Value) => formatDuration(roundDuration(since(agoTime(value, timeOf, now)), second)),
    },
    duration: {
      params: ['interface {}'],
      call: (value: Value) => formatDuration(BigInt.asIntN(64, secondsOf(value) * second)),
    },
    durationRound: { params: ['interface {}'], call: (value: Value) => largestUnit(nanosecondsOf(value, since)) },
  };
}

/** Like `timeOf`, but without int32, which `ago` does not support. */
function agoTime(value: Value, timeOf: (value: Value) => Time, now: () => Time): Time {
  return value instanceof Int && value.kind === 'int32' ? now() : timeOf(value);
}

function secondsOf(value: Value): bigint {
  if (typeof value === 'string') return parseInteger(value).value;
  return value instanceof Int && value.kind === 'int64' ? value.value : 0n;
}

function nanosecondsOf(value: Value, since: (time: Time) => bigint): bigint {
  if (typeof value === 'string')
    return recover(
      () => parseDuration(value),
      () => 0n,
    );
  if (value instanceof Time) return since(value);
  return value instanceof Int && value.kind === 'int64' ? value.value : 0n;
}

const hour = 3600n * second;
const units: readonly (readonly [string, bigint])[] = [
  ['y', 24n * 365n * hour],
  ['mo', 24n * 30n * hour],
  ['d', 24n * hour],
  ['h', hour],
  ['m', 60n * second],
  ['s', second],
];

/**
 * Returns the whole number of the largest unit that fits into a duration, such as `2h` or `3mo`.
 * Drops the sign.
 */
function largestUnit(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const unit = units.find(([, length]) => size > length);
  return unit === undefined ? '0s' : `${size / unit[1]}${unit[0]}`;
}
