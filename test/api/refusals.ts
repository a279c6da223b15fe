import test from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import { configMap, type Environment, newNamespace, type RawOptions, refusal } from './environment.ts';
import { deployment } from './workload-objects.ts';

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

type Spec = Record<string, unknown>;

function withSpec(object: KubeObject, change: (spec: Spec) => Spec): KubeObject {
  return { ...object, spec: change(object['spec'] as Spec) };
}

function withPod(object: KubeObject, pod: Spec): KubeObject {
  return withSpec(object, (spec) => ({ ...spec, template: { metadata: { labels: { app: 'web' } }, spec: pod } }));
}

function job(namespace: string, image: string): KubeObject {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image }] } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'task', namespace },
    spec: { suspend: true, template },
  };
}

function service(namespace: string, spec: Spec): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 's', namespace }, spec };
}

/** Errors of the API, with their messages. */
export function refusals(open: () => Environment): void {
  const invalid: [title: string, object: (namespace: string) => KubeObject, message: string][] = [
    [
      'a name with capitals',
      (namespace) => configMap(namespace, 'A_'),
      `ConfigMap "A_" is invalid: metadata.name: Invalid value: "A_": ${subdomain}`,
    ],
    [
      'a label value with a space',
      (namespace) => ({ ...configMap(namespace, 'a'), metadata: { name: 'a', namespace, labels: { tier: 'b c' } } }),
      `ConfigMap "a" is invalid: metadata.labels: Invalid value: "b c": ${labelValue}`,
    ],
    [
      'an object without a name',
      (namespace) => configMap(namespace, ''),
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      'a Deployment whose selector does not match its template',
      (namespace) =>
        withSpec(deployment(namespace, 'web'), (spec) => ({ ...spec, selector: { matchLabels: { app: 'other' } } })),
      'Deployment.apps "web" is invalid: spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    [
      'a Deployment without containers',
      (namespace) => withPod(deployment(namespace, 'web'), {}),
      'Deployment.apps "web" is invalid: spec.template.spec.containers: Required value',
    ],
    [
      'two containers with the same name, one of them without an image',
      (namespace) => withPod(deployment(namespace, 'web'), { containers: [{ name: 'a', image: 'a' }, { name: 'a' }] }),
      'Deployment.apps "web" is invalid: [spec.template.spec.containers[1].image: Required value, spec.template.spec.containers[1].name: Duplicate value: "a"]',
    ],
    [
      'a mount of a missing volume',
      (namespace) =>
        withPod(deployment(namespace, 'web'), {
          containers: [{ name: 'a', image: 'a', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
        }),
      'Deployment.apps "web" is invalid: spec.template.spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ],
    [
      'a Job with the restart policy Always',
      (namespace) =>
        withSpec(job(namespace, 'a'), () => ({ template: { spec: { containers: [{ name: 'a', image: 'a' }] } } })),
      'Job.batch "task" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    [
      'a Service without ports',
      (namespace) => service(namespace, { selector: { app: 'web' } }),
      'Service "s" is invalid: spec.ports: Required value',
    ],
    [
      'a ConfigMap key with a slash',
      (namespace) => configMap(namespace, 'a', { 'x/y': '1' }),
      `ConfigMap "a" is invalid: data[x/y]: Invalid value: "x/y": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
    ],
  ];
  for (const [title, object, message] of invalid) {
    test(`refuses ${title} with 422`, async (t) => {
      const namespace = await newNamespace(t, open());
      const error = await refusal(t, open().cluster.create(object(namespace)));
      t.is(error.message, message);
      t.is(error.code, 'invalid');
      t.is(error.reason, 'Invalid');
    });
  }

  test('names the invalid field in the details of the Status', async (t) => {
    const namespace = await newNamespace(t, open());
    const body = withPod(deployment(namespace, 'web'), {});
    const answer = await open().raw('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, { body });
    t.deepEqual(answer.body['details'], {
      name: 'web',
      group: 'apps',
      kind: 'Deployment',
      causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.template.spec.containers' }],
    });
  });

  const immutable: [title: string, object: (namespace: string) => KubeObject, patch: Spec, message: RegExp][] = [
    [
      'the selector of a Deployment',
      (namespace) => withSpec(deployment(namespace, 'web'), (spec) => ({ ...spec, replicas: 0 })),
      { spec: { selector: { matchLabels: { app: 'other' } }, template: { metadata: { labels: { app: 'other' } } } } },
      /^Deployment\.apps "web" is invalid: spec\.selector: Invalid value: \{"matchLabels":\{"app":"other"\}\}: field is immutable$/,
    ],
    [
      'the template of a Job',
      (namespace) => job(namespace, 'localhost/app:1'),
      { spec: { template: { spec: { containers: [{ name: 'a', image: 'localhost/app:2' }] } } } },
      /^Job\.batch "task" is invalid: spec\.template: Invalid value: .*: field is immutable$/,
    ],
    [
      'the address of a Service',
      (namespace) => service(namespace, { ports: [{ port: 80 }] }),
      { spec: { clusterIP: 'None' } },
      /^Service "s" is invalid: spec\.clusterIPs\[0\]: Invalid value: \["None"\]: may not change once set$/,
    ],
    [
      'the type of a Secret',
      (namespace) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace }, stringData: { a: 'b' } }),
      { type: 'example.com/other' },
      /^Secret "s" is invalid: type: Invalid value: "example\.com\/other": field is immutable$/,
    ],
    [
      'an immutable ConfigMap',
      (namespace) => ({ ...configMap(namespace, 'a', { x: '1' }), immutable: true }),
      { data: { x: '2' } },
      /^ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set$/,
    ],
  ];
  for (const [title, object, patch, message] of immutable) {
    test(`refuses a change of ${title}`, async (t) => {
      const namespace = await newNamespace(t, open());
      const created = await open().cluster.create(object(namespace));
      const { apiVersion, kind, metadata } = created;
      const error = await refusal(
        t,
        open().cluster.mergePatch({ apiVersion, kind, namespace, name: metadata.name }, patch),
      );
      t.regex(error.message, message);
      t.is(error.code, 'invalid');
    });
  }

  const merge: RawOptions = { headers: { 'content-type': 'application/merge-patch+json' } };
  const wire: [
    title: string,
    method: string,
    path: string,
    options: RawOptions,
    status: number,
    message: string | undefined,
  ][] = [
    [
      'a kind that is not served',
      'GET',
      '/api/v1/namespaces/NS/foos',
      {},
      404,
      'the server could not find the requested resource',
    ],
    ['a group that is not served', 'GET', '/apis/no-such-group.example.com/v1/foos', {}, 404, undefined],
    [
      'a method that is not allowed',
      'PUT',
      '/api/v1/namespaces/NS/configmaps',
      { body: {} },
      405,
      'the server does not allow this method on the requested resource',
    ],
    [
      'a body of an unknown type',
      'POST',
      '/api/v1/namespaces/NS/configmaps',
      { body: 'x', headers: { 'content-type': 'text/x' } },
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'a patch of an unknown type',
      'PATCH',
      '/api/v1/namespaces/NS/configmaps/a',
      { body: '{}', headers: { 'content-type': 'text/x' } },
      415,
      '415: Unsupported Media Type',
    ],
    [
      'an object in another namespace than the URL',
      'POST',
      '/api/v1/namespaces/NS/configmaps',
      { body: configMap('other', 'a') },
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'an object of another version than the URL',
      'POST',
      '/apis/apps/v1/namespaces/NS/deployments',
      { body: { apiVersion: 'apps/v1beta1', kind: 'Deployment', metadata: { name: 'a' } } },
      400,
      'the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)',
    ],
    [
      'a ConfigMap whose data is not text',
      'POST',
      '/api/v1/namespaces/NS/configmaps',
      { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: 1 } } },
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      'a patch of a missing object',
      'PATCH',
      '/api/v1/namespaces/NS/configmaps/none',
      { ...merge, body: {} },
      404,
      'configmaps "none" not found',
    ],
    [
      'a field that the selector does not support',
      'GET',
      '/api/v1/namespaces/NS/configmaps?fieldSelector=data.x%3D1',
      {},
      400,
      '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    [
      'a resourceVersion that is not a number',
      'GET',
      '/api/v1/namespaces/NS/configmaps?resourceVersion=x',
      {},
      400,
      'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ],
  ];
  for (const [title, method, path, options, status, message] of wire) {
    test(`responds with ${status} to ${title}`, async (t) => {
      const namespace = await newNamespace(t, open());
      const answer = await open().raw(method, path.replace('NS', namespace), options);
      t.is(answer.status, status);
      if (message === undefined) t.is(answer.text.trim(), '404 page not found');
      else t.like(answer.body, { kind: 'Status', status: 'Failure', message, code: status });
    });
  }

  test('responds with 401 to an unknown client', async (t) => {
    const { status, body } = await open().anonymous('GET', '/api/v1/namespaces', { authorization: 'Bearer unknown' });
    t.is(status, 401);
    t.like(body, { kind: 'Status', status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 });
  });
}
