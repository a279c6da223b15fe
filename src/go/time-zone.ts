import { Buffer } from 'node:buffer';
import { brotliDecompressSync } from 'node:zlib';
import { zoneData } from './zone-data.ts';

/** What holds in a zone at some time. */
export interface ZoneRule {
  /** `CET`, `UTC`, `-03`; empty where the zone has only an offset. */
  readonly abbreviation: string;
  /** Seconds east of UTC. */
  readonly offset: number;
}

/** A time zone, Go's `*time.Location`. */
export interface Zone {
  readonly name: string;
  /** The rule that holds at a time, in seconds since 1970. */
  at(seconds: number): ZoneRule;
  /** The rule with that abbreviation, the one that holds at about that time first. */
  named(abbreviation: string, seconds: number): ZoneRule | undefined;
}

const [zones = [], links = []] = brotliDecompressSync(Buffer.from(zoneData, 'base64'))
  .toString()
  .split('\n\n')
  .map((lines) => lines.split('\n'));

/** Coordinated universal time. */
export const utc: Zone = fixedZone('UTC', 'UTC', 0);

/** A zone with one offset for all times. */
export function fixedZone(name: string, abbreviation: string, offset: number): Zone {
  const rule = { abbreviation, offset };
  return { name, at: () => rule, named: (wanted) => (wanted === abbreviation ? rule : undefined) };
}

/** Whether clocks are put forward then: whether they show less at some time in the half year before or after. */
export function isDaylightSaving(zone: Zone, seconds: number): boolean {
  const halfYear = 183 * 86_400;
  const { offset } = zone.at(seconds);
  return [-halfYear, halfYear].some((distance) => zone.at(seconds + distance).offset < offset);
}

/** When the zones of old names began to have summer time, in seconds since 1970: 1977-01-01. */
const firstSummerTime = 220_924_800;

/** Zones that tzdata has made links to cities, and that Go's build of it keeps: their offsets, and what their summer time is called. */
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

/** The zone of that IANA name, or undefined where there is none: `time.LoadLocation` for all names but `Local`. */
export function loadZone(name: string): Zone | undefined {
  if (name === '' || name === 'UTC') return utc;
  const old = oldZones.get(name);
  if (old !== undefined) return oldZone(name, old[0], old[1]);
  const link = links.find((pair) => pair.endsWith(`|${name}`));
  const source = link === undefined ? name : link.slice(0, link.indexOf('|'));
  const data = zones.find((zone) => zone.startsWith(`${source}|`));
  return data === undefined ? undefined : unpack(name, data);
}

interface Period extends ZoneRule {
  /** The first second that is no longer in it. */
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

/** Go's `lookupName`: the rule of that name that holds at that local time, else any of that name. */
function namedRule(periods: readonly Period[], abbreviation: string, seconds: number): ZoneRule | undefined {
  const candidates = periods.filter((period) => period.abbreviation === abbreviation);
  const current = candidates
    .map((rule) => periodAt(periods, seconds - rule.offset))
    .find((rule) => rule.abbreviation === abbreviation);
  return current ?? candidates[0];
}

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX';

/** Minutes in moment-timezone's packed form: base 60, with a fraction. */
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
