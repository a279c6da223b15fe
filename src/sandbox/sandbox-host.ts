/** What the sandbox takes from outside: the time in nanoseconds since the Unix epoch, and random bytes for names, uids and keys. */
export interface SandboxHost {
  now(): bigint;
  randomBytes(size: number): Uint8Array;
}

/** The time as Kubernetes writes it in objects: RFC 3339 in UTC with whole seconds. */
export function timestamp(host: SandboxHost): string {
  return `${new Date(Number(host.now() / 1_000_000n)).toISOString().slice(0, 19)}Z`;
}

/** A random UUID (version 4), as objects are identified by. */
export function newUid(host: SandboxHost): string {
  const bytes = Buffer.from(host.randomBytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Kubernetes' alphabet for generated names: no vowels, nothing that looks like another. */
const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

export function nameSuffix(host: SandboxHost, length = 5): string {
  return Array.from(host.randomBytes(length), (byte) => nameAlphabet[byte % nameAlphabet.length]).join('');
}
