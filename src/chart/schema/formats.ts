import { isIPv6 } from 'node:net';
import { RE2JS, RE2JSException } from 're2js';
import { parseVersion } from '../../go/semver.ts';
import { quote, quoteRune } from '../../go/strconv.ts';
import { GoError } from '../../go/value.ts';

/**
 * Checks a string against a named format. Returns the problem, or undefined if the string is valid.
 */
export interface Format {
  readonly name: string;
  readonly check: (text: string) => string | undefined;
}

type Check = Format['check'];

const checks: Readonly<Record<string, Check>> = {
  regex: checkRegex,
  'json-pointer': checkPointer,
  'relative-json-pointer': checkRelativePointer,
  uuid: checkUuid,
  duration: checkDuration,
  period: checkPeriod,
  ipv4: checkIpv4,
  ipv6: checkIpv6,
  hostname: checkHostname,
  email: checkEmail,
  date: checkDate,
  time: checkTime,
  'date-time': checkDateTime,
  uri: (text) => checkUrl(text, true),
  iri: (text) => checkUrl(text, true),
  'uri-reference': (text) => (text.includes('\\') ? 'contains \\' : checkUrl(text, false)),
  'iri-reference': (text) => (text.includes('\\') ? 'contains \\' : checkUrl(text, false)),
  semver: checkSemver,
};

/** Formats that Helm's validator checks, by name. Any other format accepts everything. */
export const formats: ReadonlyMap<string, Format> = new Map(
  Object.entries(checks).map(([name, check]) => [name, { name, check }]),
);

function checkRegex(text: string): string | undefined {
  try {
    RE2JS.compile(text);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
}

function checkPointer(text: string): string | undefined {
  if (text === '') return undefined;
  if (!text.startsWith('/')) return 'not starting with /';
  return /~(?![01])/.test(text) ? '~ must be followed by 0 or 1' : undefined;
}

function checkRelativePointer(text: string): string | undefined {
  const match = /^(0|[1-9]\d*)(.*)$/s.exec(text);
  if (match === null) return text.startsWith('0') ? 'starts with zero' : 'not starting with number';
  return match[2] === '#' ? undefined : checkPointer(match[2] ?? '');
}

function checkUuid(text: string): string | undefined {
  const sizes = [8, 4, 4, 4, 12];
  const groups = text.split('-');
  if (groups.length !== sizes.length) return `must have ${sizes.length} elements`;
  for (const [i, group] of groups.entries()) {
    const size = sizes[i] ?? 0;
    if (group.length !== size) return `element ${i + 1} must be ${size} characters long`;
    const wrong = /[^0-9a-fA-F]/u.exec(group)?.[0];
    if (wrong !== undefined) return `non-hex character ${quoteCharacter(wrong)}`;
  }
  return undefined;
}

function quoteCharacter(character: string): string {
  return quoteRune(character.codePointAt(0) ?? 0);
}

function checkDuration(text: string): string | undefined {
  if (!text.startsWith('P')) return 'must start with P';
  const rest = text.slice(1);
  if (rest === '') return 'nothing after P';
  if (rest.endsWith('W')) return rest === 'W' ? 'no number in week' : /^\d+W$/.test(rest) ? undefined : 'invalid week';
  const parts = rest.split('T');
  for (const [i, part] of parts.entries()) {
    if (i > 0 && part === '') return 'no time elements';
    const units = ['YMD', 'HMS'][i];
    if (units === undefined) return 'more than one T';
    const wrong = checkUnits(part, units);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function checkUnits(part: string, all: string): string | undefined {
  let units = all;
  for (let rest = part; rest !== '';) {
    const digits = /^\d*/.exec(rest)?.[0].length ?? 0;
    if (digits === 0) return 'missing number';
    const unit = rest.charAt(digits);
    if (unit === '') return 'missing unit';
    const at = units.indexOf(unit);
    if (at < 0)
      return all.includes(unit) ? `unit ${quoteCharacter(unit)} out of order` : `invalid unit ${quoteCharacter(unit)}`;
    units = units.slice(at + 1);
    rest = rest.slice(digits + 1);
  }
  return undefined;
}

function checkPeriod(text: string): string | undefined {
  const [start = '', ...others] = text.split('/');
  if (others.length === 0) return 'missing slash';
  const end = others.join('/');
  if (start.startsWith('P'))
    return within('start duration', checkDuration(start)) ?? within('end date-time', checkDateTime(end));
  const wrong = within('start date-time', checkDateTime(start));
  if (wrong !== undefined) return wrong;
  return end.startsWith('P') ? within('end duration', checkDuration(end)) : within('end date-time', checkDateTime(end));
}

function within(what: string, wrong: string | undefined): string | undefined {
  return wrong === undefined ? undefined : `invalid ${what}: ${wrong}`;
}

function checkIpv4(text: string): string | undefined {
  const groups = text.split('.');
  if (groups.length !== 4) return 'expected four decimals';
  for (const group of groups) {
    if (group.length > 1 && group.startsWith('0')) return 'leading zeros';
    if (!/^[-+]?\d+$/.test(group)) return `strconv.Atoi: parsing ${quote(group)}: invalid syntax`;
    if (Number(group) < 0 || Number(group) > 255) return 'decimal must be between 0 and 255';
  }
  return undefined;
}

function checkIpv6(text: string): string | undefined {
  if (!text.includes(':')) return 'missing colon';
  const [address = '', ...zone] = text.split('%');
  if (!isIPv6(address)) return `ParseAddr(${quote(text)}): unexpected character`;
  return zone.length > 0 ? 'zone id is not a part of ipv6 address' : undefined;
}

function checkHostname(text: string): string | undefined {
  const name = text.replace(/\.$/, '');
  if (name.length > 253) return 'more than 253 characters long';
  for (const label of name.split('.')) {
    if (label.length < 1 || label.length > 63) return 'label must be 1 to 63 characters long';
    if (label.startsWith('-')) return 'label starts with hyphen';
    if (label.endsWith('-')) return 'label ends with hyphen';
    const wrong = /[^a-zA-Z0-9-]/u.exec(label)?.[0];
    if (wrong !== undefined) return `invalid character ${quoteCharacter(wrong)}`;
  }
  return undefined;
}

function checkEmail(text: string): string | undefined {
  if (text.length > 254) return 'more than 255 characters long';
  const at = text.lastIndexOf('@');
  if (at < 0) return 'missing @';
  const wrong = checkMailbox(text.slice(0, at));
  if (wrong !== undefined) return wrong;
  const domain = text.slice(at + 1);
  const address = /^\[(IPv6:)?(.*)\]$/s.exec(domain);
  if (address === null) return within('domain', checkHostname(domain));
  const [, isV6, ip = ''] = address;
  return isV6 === undefined ? within('ipv4 address', checkIpv4(ip)) : within('ipv6 address', checkIpv6(ip));
}

function checkMailbox(local: string): string | undefined {
  if (local.length > 64) return 'local part more than 64 characters long';
  if (local.length > 1 && local.startsWith('"')) {
    return /[\\"]/.test(local.slice(1, -1))
      ? 'backslash and quote are not allowed within quoted local part'
      : undefined;
  }
  if (local.startsWith('.')) return 'starts with dot';
  if (local.endsWith('.')) return 'ends with dot';
  if (local.includes('..')) return 'consecutive dots';
  const wrong = /[^a-zA-Z0-9.!#$%&'*+\-/=?^_`{|}~]/u.exec(local)?.[0];
  return wrong === undefined ? undefined : `invalid character ${quoteCharacter(wrong)}`;
}

function checkDate(text: string): string | undefined {
  const failed = `parsing time ${quote(text)}`;
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (match === null) return `${failed} as "2006-01-02": cannot parse ${quote(text)} as "2006"`;
  const [year, month, day] = match.slice(1).map(Number);
  if (month === undefined || month < 1 || month > 12) return `${failed}: month out of range`;
  const days = new Date(Date.UTC(2000, month, 0)).getUTCDate();
  const isLeap = year !== undefined && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && !isLeap ? 28 : days;
  return day === undefined || day < 1 || day > last ? `${failed}: day out of range` : undefined;
}

function checkTime(text: string): string | undefined {
  if (text.length < 9) return 'less than 9 characters long';
  if (text.charAt(2) !== ':' || text.charAt(5) !== ':') return 'missing colon in correct place';
  const clock = /^(\d\d):(\d\d):(\d\d)/.exec(text);
  if (clock === null) return 'invalid hour/min/sec';
  const [hour = 0, minute = 0, second = 0] = clock.slice(1).map(Number);
  if (hour > 23 || minute > 59 || second > 60) return 'hour/min/sec out of range';
  let rest = text.slice(8);
  if (rest.startsWith('.')) {
    if (!/^\.\d/.test(rest)) return 'no digits in second fraction';
    rest = rest.replace(/^\.\d+/, '');
  }
  let minutes = hour * 60 + minute;
  if (rest !== 'z' && rest !== 'Z') {
    const offset = parseOffset(rest);
    if (typeof offset === 'string') return offset;
    minutes = (minutes - offset + 24 * 60) % (24 * 60);
  }
  return second >= 60 && minutes !== 23 * 60 + 59 ? 'invalid leap second' : undefined;
}

/** Returns the minutes of an offset such as `+01:30`, or the problem. */
function parseOffset(text: string): number | string {
  if (text.length !== 6) return 'offset must be 6 characters long';
  if (!/^[-+]/.test(text)) return 'offset must begin with plus/minus';
  if (text.charAt(3) !== ':') return 'missing colon in offset in correct place';
  const match = /^([-+])(\d\d):(\d\d)$/.exec(text);
  if (match === null) return 'invalid hour/min in offset';
  const [, sign, hours, minutes] = match;
  if (Number(hours) > 23 || Number(minutes) > 59) return 'hour/min in offset out of range';
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function checkDateTime(text: string): string | undefined {
  if (text.length < 20) return 'less than 20 characters long';
  if (!/^[tT]$/.test(text.charAt(10))) return '11th character must be t or T';
  return within('date element', checkDate(text.slice(0, 10))) ?? within('time element', checkTime(text.slice(11)));
}

/** Returns the problem that Go's `url.Parse` reports, or undefined if the URL is valid. */
export function checkUrl(text: string, absolute: boolean): string | undefined {
  const failed = `parse ${quote(text)}`;
  if (/[\0-\x1f\x7f]/.test(text)) return `${failed}: net/url: invalid control character in URL`;
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text)?.[0];
  if (escape !== undefined) return `${failed}: invalid URL escape ${quote(escape)}`;
  const isAbsolute = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text);
  if (!isAbsolute && /^:/.test(text)) return `${failed}: missing protocol scheme`;
  if (!isAbsolute && /^[^/?#]*:/.test(text)) return `${failed}: first path segment in URL cannot contain colon`;
  const host = /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(text)?.[1] ?? '';
  const wrong = /[^\w\-.~!$&'()*+,;=:[\]<>"%\x80-\u{10ffff}]/u.exec(host)?.[0];
  if (wrong !== undefined) return `${failed}: invalid character ${quote(wrong)} in host name`;
  return absolute && !isAbsolute ? 'relative url' : undefined;
}

function checkSemver(text: string): string | undefined {
  try {
    parseVersion(text);
    return /^\d+\.\d+\.\d+/.test(text) ? undefined : 'invalid semver';
  } catch (error) {
    if (error instanceof GoError) return error.message;
    throw error;
  }
}
