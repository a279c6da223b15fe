import type { ProblemCode } from '../protocol/problem-codes.ts';

/** Container states of the kubelet for an image, apart from failed pulls. */
const codes: ReadonlyMap<string, ProblemCode> = new Map<string, ProblemCode>([
  ['InvalidImageName', 'image_name_invalid'],
  ['ErrImageNeverPull', 'image_never_pulled'],
  ['RegistryUnavailable', 'registry_unavailable'],
]);

const pullStates: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff', 'ImageInspectError']);

/**
 * Texts of container runtimes about failed pulls. The kubelet reports every failed pull with the
 * same reason, and passes the cause on only as text: a gRPC code, or the status code of the
 * registry.
 */
const causes: readonly [pattern: RegExp, code: ProblemCode][] = [
  [/\b429 Too Many Requests|\btoomanyrequests\b/i, 'registry_unavailable'],
  [/\bcode = (?:ResourceExhausted|Unavailable|DeadlineExceeded)\b/, 'registry_unavailable'],
  [/\b50[0234] [A-Z]|i\/o timeout|TLS handshake timeout|context deadline exceeded/, 'registry_unavailable'],
  [/connection reset by peer|unexpected EOF|server misbehaving/, 'registry_unavailable'],
  [/\bcode = NotFound\b|\bmanifest unknown\b|\b404 Not Found\b/i, 'image_not_found'],
  [/\bcode = (?:PermissionDenied|Unauthenticated)\b/, 'image_denied'],
  [/\b40[13] [A-Z]|pull access denied|insufficient_scope|\bunauthorized\b/i, 'image_denied'],
];

/**
 * Returns the problem that the state of a container has with its image, or undefined if it has
 * none. `cause` is the text about the last failed pull.
 */
export function imageProblem(reason: string, cause: string): ProblemCode | undefined {
  if (!pullStates.has(reason)) return codes.get(reason);
  return causes.find(([pattern]) => pattern.test(cause))?.[1] ?? 'image_pull_failed';
}
