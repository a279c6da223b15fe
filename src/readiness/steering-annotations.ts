import type { KubeObject } from '../objects/object.ts';

export const readyAnnotation = 'helm-agent/ready-when';
export const failedAnnotation = 'helm-agent/failed-when';
export const failFastAnnotation = 'helm-agent/fail-fast';

/** Annotations of an object that say when it is ready, and which problems end a wait. */
const names = [readyAnnotation, failedAnnotation, failFastAnnotation];

/** Characters of an annotation that are kept. No valid one has more. */
const maxLength = 1024;

/** The annotations of an object that steer a wait. */
export type SteeringAnnotations = Readonly<Record<string, string>>;

/** Returns the annotations of a chart's object that steer a wait, or undefined if it has none. */
export function steeringAnnotations({ metadata: { annotations } }: KubeObject): SteeringAnnotations | undefined {
  if (annotations === undefined) return undefined;
  const found = names.flatMap((name) => {
    const value = annotations[name];
    return value === undefined ? [] : [[name, value.slice(0, maxLength)] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/**
 * Returns a live object with the steering annotations with which it was applied in place of its
 * own: a right to edit one object must not decide whether a release is ready.
 */
export function steeredBy(live: KubeObject, applied: SteeringAnnotations = {}): KubeObject {
  if (steeringAnnotations(live) === undefined && Object.keys(applied).length === 0) return live;
  const others = Object.entries(live.metadata.annotations ?? {}).filter(([name]) => !names.includes(name));
  return { ...live, metadata: { ...live.metadata, annotations: { ...Object.fromEntries(others), ...applied } } };
}
