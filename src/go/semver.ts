import { GoError, type GoFunction, GoObject, Int, int, type Value } from './value.ts';

const maxLength = 256;
const looseVersion =
  /^v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const maxUint64 = (1n << 64n) - 1n;

/** Parts of a semantic version. `original` is the text it was parsed from. */
export interface VersionParts {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;
}

/**
 * Parses a version as Masterminds' `semver.NewVersion` does: it allows a leading `v`, missing parts
 * and leading zeros.
 */
export function parseVersion(text: string): VersionParts {
  if (text.length > maxLength) throw new GoError(`version string is too long (max ${maxLength} bytes)`);
  const match = looseVersion.exec(text);
  if (match === null) throw new GoError('invalid semantic version');
  const [, major = '', minor = '0', patch = '0', prerelease = '', metadata = ''] = match;
  const parts = {
    major: parseSegment(major),
    minor: parseSegment(minor),
    patch: parseSegment(patch),
    prerelease,
    metadata,
    original: text,
  };
  validatePrerelease(prerelease);
  return parts;
}

/** Whether a text is a version for {@link parseVersion}. */
export function isVersion(text: string): boolean {
  try {
    parseVersion(text);
    return true;
  } catch (error) {
    if (error instanceof GoError) return false;
    throw error;
  }
}

function parseSegment(digits: string): bigint {
  const value = BigInt(digits);
  if (value > maxUint64) {
    throw new GoError(`error parsing version segment: strconv.ParseUint: parsing "${digits}": value out of range`);
  }
  return value;
}

function validatePrerelease(prerelease: string): void {
  if (prerelease === '') return;
  for (const part of prerelease.split('.')) {
    if (/^0[0-9]+$/.test(part)) throw new GoError('version segment starts with 0');
    if (!/^[0-9A-Za-z-]+$/.test(part)) throw new GoError('invalid prerelease string');
  }
}

function validateMetadata(metadata: string): void {
  if (metadata === '') return;
  if (!/^[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/.test(metadata)) throw new GoError('invalid metadata string');
}

/** Formats a version without a leading `v`. */
function formatVersion(version: VersionParts): string {
  const { major, minor, patch, prerelease, metadata } = version;
  return `${major}.${minor}.${patch}${prerelease && `-${prerelease}`}${metadata && `+${metadata}`}`;
}

/** Compares versions by precedence: returns -1, 0 or 1. Metadata is ignored. */
export function compareVersions(a: VersionParts, b: VersionParts): number {
  return (
    compareNumbers(a.major, b.major) ||
    compareNumbers(a.minor, b.minor) ||
    compareNumbers(a.patch, b.patch) ||
    comparePrereleases(a.prerelease, b.prerelease)
  );
}

function compareNumbers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares prereleases; a version without prerelease sorts last. */
function comparePrereleases(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  return comparePrereleaseParts(a, b);
}

/**
 * Compares prereleases part by part; unlike in {@link compareVersions}, an empty prerelease sorts
 * first.
 */
export function comparePrereleaseParts(a: string, b: string): number {
  const [aParts, bParts] = [a.split('.'), b.split('.')];
  const length = Math.max(aParts.length, bParts.length);
  for (let i = 0; i < length; i++) {
    const order = comparePart(aParts[i] ?? '', bParts[i] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return -1;
  if (b === '') return 1;
  const [aNumber, bNumber] = [numericPart(a), numericPart(b)];
  if (aNumber === undefined && bNumber === undefined) return a > b ? 1 : -1;
  if (bNumber === undefined) return -1;
  if (aNumber === undefined) return 1;
  return aNumber > bNumber ? 1 : -1;
}

function numericPart(part: string): bigint | undefined {
  if (!/^[0-9]+$/.test(part)) return undefined;
  const value = BigInt(part);
  return value > maxUint64 ? undefined : value;
}

/**
 * Result of the template function `semver`: a `*semver.Version`, or a `semver.Version` returned by
 * one of its methods.
 */
export class Version extends GoObject {
  readonly parts: VersionParts;
  readonly goType: string;
  readonly kind: string;

  constructor(parts: VersionParts, pointer = true) {
    super();
    this.parts = parts;
    this.goType = pointer ? '*semver.Version' : 'semver.Version';
    this.kind = pointer ? 'ptr' : 'struct';
  }

  override method(name: string): GoFunction | undefined {
    return (
      (Object.hasOwn(valueMethods, name) ? valueMethods[name]?.(this.parts) : undefined) ??
      (this.kind === 'ptr' && Object.hasOwn(pointerMethods, name) ? pointerMethods[name]?.(this.parts) : undefined)
    );
  }

  override text(): string {
    return formatVersion(this.parts);
  }

  override members(): readonly (readonly [string, Value])[] {
    const { major, minor, patch, prerelease, metadata, original } = this.parts;
    return [
      ['major', uint64(major)],
      ['minor', uint64(minor)],
      ['patch', uint64(patch)],
      ['pre', prerelease],
      ['metadata', metadata],
      ['original', original],
    ];
  }

  override json(): Value {
    return formatVersion(this.parts);
  }
}

type Methods = Readonly<Record<string, (version: VersionParts) => GoFunction>>;

function getter(read: (version: VersionParts) => Value): (version: VersionParts) => GoFunction {
  return (version) => ({ params: [], call: () => read(version) });
}

function comparison(decide: (order: number) => Value): (version: VersionParts) => GoFunction {
  return (version) => ({
    params: ['*semver.Version'],
    call: (other: Version | null) => {
      if (other === null) throw new GoError('runtime error: invalid memory address or nil pointer dereference');
      return decide(compareVersions(version, other.parts));
    },
  });
}

function derived(version: VersionParts, change: Partial<VersionParts>): Version {
  const next = { ...version, ...change };
  const prefix = version.original.startsWith('v') ? 'v' : '';
  return new Version({ ...next, original: prefix + formatVersion(next) }, false);
}

function increment(version: VersionParts, segment: 'major' | 'minor' | 'patch'): bigint {
  if (version[segment] === maxUint64) throw new GoError(`${segment} version increment would overflow uint64`);
  return version[segment] + 1n;
}

const uint64 = (value: bigint): Int => new Int('uint64', value);
const release = { prerelease: '', metadata: '' };

const valueMethods: Methods = {
  Major: getter(({ major }) => uint64(major)),
  Minor: getter(({ minor }) => uint64(minor)),
  Patch: getter(({ patch }) => uint64(patch)),
  Prerelease: getter(({ prerelease }) => prerelease),
  Metadata: getter(({ metadata }) => metadata),
  String: getter(formatVersion),
  MarshalText: getter((version) => new TextEncoder().encode(formatVersion(version))),
  MarshalJSON: getter((version) => new TextEncoder().encode(JSON.stringify(formatVersion(version)))),
  Value: getter(formatVersion),
  IncPatch: getter((version) =>
    derived(version, { ...release, ...(version.prerelease === '' && { patch: increment(version, 'patch') }) }),
  ),
  IncMinor: getter((version) => derived(version, { ...release, patch: 0n, minor: increment(version, 'minor') })),
  IncMajor: getter((version) =>
    derived(version, { ...release, patch: 0n, minor: 0n, major: increment(version, 'major') }),
  ),
  SetPrerelease: (version) => ({
    params: ['string'],
    call: (prerelease: string) => {
      validatePrerelease(prerelease);
      return derived(version, { prerelease });
    },
  }),
  SetMetadata: (version) => ({
    params: ['string'],
    call: (metadata: string) => {
      validateMetadata(metadata);
      return derived(version, { metadata });
    },
  }),
};

const pointerMethods: Methods = {
  Original: getter(({ original }) => original),
  Compare: comparison((order) => int(order)),
  LessThan: comparison((order) => order < 0),
  LessThanEqual: comparison((order) => order <= 0),
  GreaterThan: comparison((order) => order > 0),
  GreaterThanEqual: comparison((order) => order >= 0),
  Equal: (version) => ({
    params: ['*semver.Version'],
    call: (other: Version | null) => other !== null && compareVersions(version, other.parts) === 0,
  }),
};
