import {
  fieldAt,
  isJsonObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
} from '../../objects/fields.ts';
import { labelRequirements, matchesLabels } from '../../objects/label-selector.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type FieldError, invalidValue, required } from '../api-error.ts';
import { dnsLabelErrors, labelErrors } from './names.ts';
import { podSpecOf, podSpecPath } from './pod-spec.ts';

/** Validates an object of a built-in kind after its defaults were set. */
export function kindErrors(object: KubeObject): FieldError[] {
  const { kind } = object;
  const path = podSpecPath(kind);
  return [
    ...((Object.hasOwn(errorsOfKind, kind) && errorsOfKind[kind]?.(object)) || []),
    ...(path ? podSpecErrors(podSpecOf(object) ?? {}, path.join('.')) : []),
  ];
}

const errorsOfKind: Readonly<Record<string, (object: KubeObject) => FieldError[]>> = {
  Deployment: workloadErrors,
  ReplicaSet: workloadErrors,
  StatefulSet: workloadErrors,
  DaemonSet: workloadErrors,
  Job: jobErrors,
  CronJob: jobErrors,
  Ingress: ingressErrors,
  Service: serviceErrors,
  ConfigMap: (object) => dataKeyErrors(object, 'data', 'binaryData'),
  Secret: (object) => dataKeyErrors(object, 'data'),
  CustomResourceDefinition: definitionErrors,
  RoleBinding: roleBindingErrors,
  ClusterRoleBinding: roleBindingErrors,
};

function workloadErrors(object: KubeObject): FieldError[] {
  const replicas = numberAt(object, 'spec', 'replicas') ?? 0;
  const policy = stringAt(object, 'spec', 'template', 'spec', 'restartPolicy') ?? 'Always';
  const unsupported: FieldError = {
    reason: 'FieldValueNotSupported',
    field: 'spec.template.spec.restartPolicy',
    message: `Unsupported value: ${JSON.stringify(policy)}: supported values: "Always"`,
  };
  return [
    ...(replicas < 0 ? [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')] : []),
    ...selectorErrors(object),
    ...(policy === 'Always' ? [] : [unsupported]),
  ];
}

function jobErrors(object: KubeObject): FieldError[] {
  const path = podSpecPath(object.kind) ?? [];
  const policy = stringAt(object, ...path, 'restartPolicy');
  if (policy === 'OnFailure' || policy === 'Never') return [];
  return [required([...path, 'restartPolicy'].join('.'), 'valid values: "OnFailure", "Never"')];
}

function ingressErrors(object: KubeObject): FieldError[] {
  return objectsAt(object, 'spec', 'rules').flatMap((rule, ruleIndex) =>
    objectsAt(rule, 'http', 'paths').flatMap((path, index) =>
      path['pathType']
        ? []
        : [required(`spec.rules[${ruleIndex}].http.paths[${index}].pathType`, 'pathType must be specified')],
    ),
  );
}

function selectorErrors(object: KubeObject): FieldError[] {
  const labels = objectAt(object, 'spec', 'template', 'metadata', 'labels');
  const badLabels = labelErrors(labels, 'spec.template.labels');
  const selector = fieldAt(object, 'spec', 'selector');
  if (!isJsonObject(selector)) {
    const mismatch = `\`selector\` does not match template \`labels\``;
    return [required('spec.selector'), invalidValue('spec.template.metadata.labels', labels, mismatch), ...badLabels];
  }
  const requirements = labelRequirements(selector);
  if (requirements.length === 0) {
    return [invalidValue('spec.selector', selector, 'empty selector is invalid for deployment'), ...badLabels];
  }
  // Checked when the body was read.
  const matches = matchesLabels(requirements, labels as Record<string, string>);
  const mismatch = invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`');
  return matches ? badLabels : [mismatch, ...badLabels];
}

function podSpecErrors(spec: JsonObject, path: string): FieldError[] {
  const containers = objectsAt(spec, 'containers');
  if (containers.length === 0) return [required(`${path}.containers`)];
  const seen = new Set<string>();
  const volumes = new Set(objectsAt(spec, 'volumes').map((volume) => stringAt(volume, 'name')));
  return [
    ...containers.flatMap((container, index) =>
      containerErrors(container, `${path}.containers[${index}]`, seen, volumes),
    ),
    ...objectsAt(spec, 'initContainers').flatMap((container, index) =>
      containerErrors(container, `${path}.initContainers[${index}]`, seen, volumes),
    ),
  ];
}

function containerErrors(
  container: JsonObject,
  path: string,
  seen: Set<string>,
  volumes: Set<string | undefined>,
): FieldError[] {
  const errors: FieldError[] = [];
  const name = stringAt(container, 'name') ?? '';
  errors.push(...(name === '' ? [required(`${path}.name`)] : dnsLabelErrors(name, `${path}.name`)));
  if ((stringAt(container, 'image') ?? '') === '') errors.push(required(`${path}.image`));
  objectsAt(container, 'volumeMounts').forEach((mount, index) => {
    const volume = stringAt(mount, 'name');
    if (!volumes.has(volume)) {
      const message = `Not found: ${JSON.stringify(volume ?? '')}`;
      errors.push({ reason: 'FieldValueNotFound', field: `${path}.volumeMounts[${index}].name`, message });
    }
  });
  if (name !== '' && seen.has(name)) {
    const message = `Duplicate value: ${JSON.stringify(name)}`;
    errors.push({ reason: 'FieldValueDuplicate', field: `${path}.name`, message });
  }
  seen.add(name);
  return errors;
}

function serviceErrors(object: KubeObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  if (spec['type'] === 'ExternalName') return spec['externalName'] ? [] : [required('spec.externalName')];
  if (listAt(spec, 'ports').length === 0 && spec['clusterIP'] !== 'None') return [required('spec.ports')];
  const ports = objectsAt(spec, 'ports');
  return ports.flatMap((port, index) => {
    const path = `spec.ports[${index}]`;
    return [
      ...(ports.length > 1 && !port['name'] ? [required(`${path}.name`)] : []),
      ...portErrors(port['port'], `${path}.port`),
      ...(typeof port['targetPort'] === 'number' ? portErrors(port['targetPort'], `${path}.targetPort`) : []),
    ];
  });
}

function portErrors(port: unknown, path: string): FieldError[] {
  const valid = typeof port === 'number' && port >= 1 && port <= 65535;
  return valid ? [] : [invalidValue(path, port ?? 0, 'must be between 1 and 65535, inclusive')];
}

function dataKeyErrors(object: KubeObject, ...fields: string[]): FieldError[] {
  const text =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
  return fields.flatMap((field) =>
    Object.keys(objectAt(object, field))
      .filter((key) => !/^[-._a-zA-Z0-9]+$/.test(key))
      .map((key) => invalidValue(`${field}[${key}]`, key, text)),
  );
}

function definitionErrors(object: KubeObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  const group = stringAt(spec, 'group') ?? '';
  const plural = stringAt(spec, 'names', 'plural') ?? '';
  const errors: FieldError[] = [];
  if (group === '') errors.push(required('spec.group'));
  if (plural === '') errors.push(required('spec.names.plural'));
  if (!stringAt(spec, 'names', 'kind')) errors.push(required('spec.names.kind'));
  if (object.metadata.name !== `${plural}.${group}`) {
    errors.push(invalidValue('metadata.name', object.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  }
  if (objectsAt(spec, 'versions').filter((version) => version['storage'] === true).length !== 1) {
    errors.push(
      invalidValue(
        'spec.versions',
        spec['versions'] ?? null,
        'must have exactly one version marked as storage version',
      ),
    );
  }
  return errors;
}

function roleBindingErrors(object: KubeObject): FieldError[] {
  return stringAt(object, 'roleRef', 'name') ? [] : [required('roleRef.name')];
}
