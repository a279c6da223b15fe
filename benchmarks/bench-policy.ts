/** A policy of 100 rules, of which the last one decides. */

/** Returns limits of all kinds that a rule has without conditions. */
export function limitsFor(charts: string, images: string): string {
  return `charts: ['${charts}'], versions: '>=1.0.0', kinds: ['*'], deniedKinds: ['*.rbac.authorization.k8s.io'],
      objectNamespaces: [release], images: ['${images}'],
      sizes: { objects: 100, object: 64Ki, allObjects: 1Mi, chart: 1Mi, values: 64Ki }, windows: [{ from: '00:00', to: '00:00' }]`;
}

/** Conditions on a command and its chart. */
export const onCommand = `{ expression: '!has(command.payload.force)' }, { expression: 'chart == null || chart.version != "2.0.0"' }`;

/** A condition on each object. */
export const onObjects = `{ expression: 'object.kind != "Deployment" || object.spec.replicas <= 5' }`;

/** @param last fields of the last rule: the commands that it is for, and its limits */
export function policyText(last: string): string {
  const limits = `${limitsFor('oci://registry.example.com/*', 'registry.example.com/*')}, conditions: [${onCommand}]`;
  const others = Array.from(
    { length: 99 },
    (_, index) =>
      `  - { name: rule-${index}, namespaces: [team-${index}-*], releases: ['*'], commands: [deploy], callers: [ci-${index}], ${limits} }\n`,
  );
  return `rules:\n${others.join('')}  - { name: rule-99, ${last} }\ndefault: deny\n`;
}
