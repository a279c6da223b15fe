import { Buffer } from 'node:buffer';
import { brotliDecompressSync } from 'node:zlib';
import { onceValue } from './host.ts';
import { zoneData } from './zone-data.ts';

/** Offset and abbreviation of a zone at some time. */
export interface ZoneRule {
  /** `CET`, `UTC` or `-03`; empty if the zone has only an offset. */
  readonly abbreviation: string;
  /** Seconds east of UTC. */
  readonly offset: number;
}

/** A time zone: Go's `*time.Location`. */
export interface Zone {
  readonly name: string;
  /** Returns the rule in effect at a time, in seconds since 1970. */
  at(seconds: number): ZoneRule;
  /** Returns the rule with an abbreviation, preferably the one in effect around a time. */
  named(abbreviation: string, seconds: number): ZoneRule | undefined;
}

/** Lines of moment-timezone's data. Most charts use no time zone. */
const zoneLines = onceValue(() => {
  const text = brotliDecompressSync(Buffer.from(zoneData, 'base64')).toString();
  const [zones = [], links = []] = text.split('\n\n').map((lines) => lines.split('\n'));
  return { zones, links };
});

/** The zones from 12 hours west to 14 hours east of UTC, by their offsets. */
const hourZones: ReadonlyMap<number, Zone> = new Map(
  Array.from({ length: 27 }, (_, index) => (index - 12) * 3600).map((offset) => [offset, newFixedZone('', '', offset)]),
);

/** Coordinated Universal Time. */
export const utc: Zone = fixedZone('UTC', 'UTC', 0);

/**
 * `time.FixedZone`: returns a zone with a fixed offset. It is the same one for a number of hours
 * without a name.
 */
export function fixedZone(name: string, abbreviation: string, offset: number): Zone {
  const isUnnamed = name === '' && abbreviation === '';
  return (isUnnamed ? hourZones.get(offset) : undefined) ?? newFixedZone(name, abbreviation, offset);
}

function newFixedZone(name: string, abbreviation: string, offset: number): Zone {
  const rule = { abbreviation, offset };
  return { name, at: () => rule, named: (wanted) => (wanted === abbreviation ? rule : undefined) };
}

/**
 * Whether daylight saving time is in effect: whether the offset is smaller half a year before or
 * after.
 */
export function isDaylightSaving(zone: Zone, seconds: number): boolean {
  const halfYear = 183 * 86_400;
  const { offset } = zone.at(seconds);
  return [-halfYear, halfYear].some((distance) => zone.at(seconds + distance).offset < offset);
}

/** Start of summer time in the old zones, in seconds since 1970: 1977-01-01. */
const firstSummerTime = 220_924_800;

/**
 * Zones that tzdata turned into links to cities but that Go's build of it keeps: their offsets, and
 * the abbreviation of their summer time.
 */
const oldZones: ReadonlyMap<string, readonly [offset: number, summer?: string]> = new Map([
  ['EST', [-5 * 3600]],
  ['MST', [-7 * 3600]],
  ['HST', [-10 * 3600]],
  ['WET', [0, 'WEST']],
  ['CET', [3600, 'CEST']],
  ['MET', [3600, 'MEST']],
  ['EET', [2 * 3600, 'EEST']],
]);

function oldZone(name: string, offset: number, summer: string | undefined): Zone {
  const fixed = fixedZone(name, name, offset);
  const city = summer === undefined ? undefined : loadZone('Europe/Brussels');
  if (summer === undefined || city === undefined) return fixed;
  const standard = { abbreviation: name, offset };
  const rules = [standard, { abbreviation: summer, offset: offset + 3600 }];
  return {
    name,
    at: (seconds) => (seconds < firstSummerTime ? undefined : rules[city.at(seconds).offset / 3600 - 1]) ?? standard,
    named: (wanted) => rules.find(({ abbreviation }) => abbreviation === wanted),
  };
}

/**
 * `time.LoadLocation` for all names but `Local`: returns the zone with an IANA name, or undefined
 * if there is none.
 */
export function loadZone(name: string): Zone | undefined {
  if (name === '' || name === 'UTC') return utc;
  const old = oldZones.get(name);
  if (old !== undefined) return oldZone(name, old[0], old[1]);
  const { zones, links } = zoneLines();
  const link = links.find((pair) => pair.endsWith(`|${name}`));
  const source = link === undefined ? name : link.slice(0, link.indexOf('|'));
  const data = zones.find((zone) => zone.startsWith(`${source}|`));
  return data === undefined ? undefined : unpack(name, data);
}

interface Period extends ZoneRule {
  /** The first second after the period. */
  readonly until: number;
}

function unpack(name: string, data: string): Zone {
  const [, abbreviations = '', offsets = '', indices = '', untils = ''] = data.split('|');
  const names = abbreviations.split(' ');
  const rules = offsets.split(' ').map((offset, i): ZoneRule => ({
    abbreviation: names[i] ?? '',
    offset: Math.round(-fromBase60(offset) * 60),
  }));
  const ends = untils === '' ? [] : untils.split(' ').map(fromBase60);
  let end = 0;
  const periods = Array.from(indices, (index, i): Period => {
    end += Math.round((ends[i] ?? Infinity) * 60);
    return { ...(rules[fromBase60(index)] ?? { abbreviation: '', offset: 0 }), until: end };
  });
  return {
    name,
    at: (seconds) => periodAt(periods, seconds),
    named: (abbreviation, seconds) => namedRule(periods, abbreviation, seconds),
  };
}

function periodAt(periods: readonly Period[], seconds: number): ZoneRule {
  let [low, high] = [0, periods.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (seconds < (periods[middle]?.until ?? Infinity)) high = middle;
    else low = middle + 1;
  }
  return periods[low] ?? { abbreviation: 'UTC', offset: 0 };
}

/**
 * Go's `lookupName`: returns the rule with a name in effect at a local time, or else any rule with
 * that name.
 */
function namedRule(periods: readonly Period[], abbreviation: string, seconds: number): ZoneRule | undefined {
  const candidates = periods.filter((period) => period.abbreviation === abbreviation);
  const current = candidates
    .map((rule) => periodAt(periods, seconds - rule.offset))
    .find((rule) => rule.abbreviation === abbreviation);
  return current ?? candidates[0];
}

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX';

/** Parses minutes in moment-timezone's packed form: base 60, with a fraction. */
function fromBase60(text: string): number {
  const negative = text.startsWith('-');
  const [whole = '', fraction = ''] = text.replace(/^-/, '').split('.');
  let value = 0;
  for (const digit of whole) value = value * 60 + digits.indexOf(digit);
  let scale = 1;
  for (const digit of fraction) {
    scale /= 60;
    value += digits.indexOf(digit) * scale;
  }
  return negative ? -value : value;
}
