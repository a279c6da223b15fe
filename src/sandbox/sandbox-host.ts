/** Sources of time and randomness for the sandbox. */
export interface SandboxHost {
  /** Returns the time in nanoseconds since the Unix epoch. */
  now(): bigint;
  /** Returns random bytes for names, uids and keys. */
  randomBytes(size: number): Uint8Array;
}

/** Returns the time in the format of Kubernetes objects: RFC 3339 in UTC with whole seconds. */
export function timestamp(host: SandboxHost): string {
  return `${new Date(Number(host.now() / 1_000_000n)).toISOString().slice(0, 19)}Z`;
}

/** Returns a random UUID (version 4) for an object. */
export function newUid(host: SandboxHost): string {
  const bytes = Buffer.from(host.randomBytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Kubernetes' alphabet for generated names: no vowels and no characters that look alike. */
const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Returns a random suffix for a generated name. */
export function nameSuffix(host: SandboxHost, length = 5): string {
  return Array.from(host.randomBytes(length), (byte) => nameAlphabet[byte % nameAlphabet.length]).join('');
}
