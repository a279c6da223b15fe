/** Annotation that keeps an object when its release no longer has it. */
export const resourcePolicy = 'helm.sh/resource-policy';
