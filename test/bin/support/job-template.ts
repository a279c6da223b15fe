/**
 * Returns the template of a Job, which runs once. `args` are the arguments of its container, as
 * YAML: `[sleep, 2s]`, which the sandbox understands.
 */
export function jobTemplate(name: string, annotations: string, args: string): string {
  return `---
apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  annotations: {${annotations}}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: localhost/app:1, args: ${args}}]
`;
}

/** Returns the templates of three Jobs: a hook before and one after each verb, and a test. */
export function hookTemplates(args: string): string {
  const hook = (name: string, events: string, more = '') => jobTemplate(name, `helm.sh/hook: "${events}"${more}`, args);
  const every = (when: string) => ['install', 'upgrade', 'rollback', 'delete'].map((verb) => `${when}-${verb}`).join();
  return [
    hook('before', every('pre')),
    hook('after', every('post'), ', helm.sh/hook-delete-policy: hook-succeeded'),
    hook('check', 'test'),
  ].join('\n');
}
