import { posix } from 'node:path';

/** A path on this machine. */
interface LocalPlace {
  path: string;
}

/** A path in a container. */
export interface PodPlace extends LocalPlace {
  /** A pod, or a workload such as `deploy/web`. Empty if a release is given. */
  target: string;
}

export type CopyPlace = LocalPlace | PodPlace;

/**
 * Reads `POD:PATH`, `:PATH` for the pod of a release, or a path of this machine. One with a colon
 * needs `./` or `/` before it. Throws an error if there is no path.
 */
export function readCopyPlace(text: string): CopyPlace {
  const isLocal = /^(\.{0,2}\/|\.{1,2}$|[A-Za-z]:\\)/.test(text) || !text.includes(':');
  if (isLocal && text !== '') return { path: text };
  const colon = text.indexOf(':');
  const [target, path] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)];
  if (path === '') throw new Error(`${JSON.stringify(text)} has no path; write POD:PATH, or a path of this machine`);
  return { target, path };
}

/**
 * Returns the folder of a path in a container, and the name in it. That is `.` for the content of a
 * folder: `/`, `..` or `a/.`.
 */
export function splitPodPath(path: string): { folder: string; name: string } {
  const whole = posix.join(path, '.');
  const name = posix.basename(whole);
  if (['', '.', '..'].includes(name) || path.endsWith('/.')) return { folder: whole, name: '.' };
  return { folder: posix.dirname(whole), name };
}
