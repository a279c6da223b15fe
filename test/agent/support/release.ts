import type { Release } from '../../../src/protocol/release.ts';

/** Returns a release as commands answer it. */
export function testRelease(name = 'web', fields: Partial<Release> = {}): Release {
  return { name, namespace: 'default', version: 1, info: { status: 'deployed' }, ...fields };
}
