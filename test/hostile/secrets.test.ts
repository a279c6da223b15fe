import { randomUUID } from 'node:crypto';
import { on, once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { tlsFiles } from '../../src/agent/connection/tls-files.ts';
import { tokenFile } from '../../src/agent/connection/token-file.ts';
import { agentOf, type AgentSetup } from '../../src/compose/agent-of.ts';
import { ControlPlane, createSqliteStore, openAgentsFile } from '../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../src/kube/cluster.ts';
import type { ErrorCode } from '../../src/protocol/error-codes.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { recordingLog } from '../agent/support/log.ts';
import { dialAgent } from '../bin/support/client.ts';
import { indexYaml, serve, type TestRepository } from '../source/test-repository.ts';
import { eventually } from '../support/eventually.ts';
import { realHost } from '../support/host.ts';
import { type ChildProgram, startProgram } from './support/child-program.ts';

// letters and digits only, so that any encoding leaves it intact
const sentinel = 'Sentinel4711';

/** A chart whose templates and schema put a value into every kind of message. */
const quoting: Record<string, string> = {
  'Chart.yaml': 'apiVersion: v2\nname: quoting\nversion: 1.0.0\n',
  'values.schema.json': '{"properties":{"port":{"type":"integer"},"word":{"enum":["a"]}}}',
  'templates/all.yaml': `{{ $s := .Values.secret }}
{{- if eq .Values.do "fail" }}{{ fail $s }}{{ end }}
{{- if eq .Values.do "url" }}{{ urlParse (printf "http://%s:x%%zz" $s) }}{{ end }}
{{- if eq .Values.do "regex" }}{{ regexMatch (printf "[%s" $s) "a" }}{{ end }}
{{- if eq .Values.do "tpl" }}{{ tpl (printf "{{ %s" $s) . }}{{ end }}
{{- if eq .Values.do "number" }}{{ atoi $s | add (mustToDate "2006" $s).Year }}{{ end }}
{{- if eq .Values.do "loop" }}{{ range until 100000 }}{{ range until 100000 }}{{ $s }}{{ end }}{{ end }}{{ end }}
{{- if eq .Values.do "text" }}{{ $s }}{{ end }}
{{- if eq .Values.do "yaml" }}a: [{{ $s }}{{ end }}
{{- if eq .Values.do "map" }}
apiVersion: v1
kind: {{ .Values.kind | default "ConfigMap" }}
metadata:
  name: {{ .Values.name | default .Release.Name }}
  {{- with .Values.annotations }}
  annotations: {{ toJson . }}
  {{- end }}
data: {{ .Values.data | default (dict "a" $s) | toJson }}
{{- end }}
{{- if eq .Values.do "pod" }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}
  {{- with .Values.annotations }}
  annotations: {{ toJson . }}
  {{- end }}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: 'localhost/app:1', args: {{ .Values.args | toJson }}, env: [{name: A, value: {{ $s }}}]}]
{{- end }}
`,
};

interface Setting {
  folder: string;
  /** The agent as a process of its own. */
  agent: ChildProgram;
  /** Logs of all programs, and the errors of those that did not start. */
  logs: string[][];
  api: string;
  port: number;
  cluster: KubeCluster;
  repository: TestRepository;
}

/** Starts a control plane, an agent and what they connect to. */
async function start(t: ExecutionContext): Promise<Setting> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const sandbox = await startSandbox({ host: realHost, speed: 50 });
  t.teardown(() => sandbox.close());
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  t.teardown(() => cluster.close());
  await writeFile(join(folder, 'kubeconfig'), sandbox.kubeconfig);
  await addCharts(join(folder, 'charts'));
  const repository = await serve(t, {
    '/good/index.yaml': indexYaml({ app: [{ version: '1.0.0' }, { version: '2.0.0', digest: 'a'.repeat(64) }] }),
    '/good/app-2.0.0.tgz': sentinel,
    '/401/index.yaml': (_request, response) => response.writeHead(401).end(sentinel),
    '/500/index.yaml': (_request, response) => response.writeHead(500).end(sentinel),
    '/bad/index.yaml': `entries: [${sentinel}`,
    '/slow/index.yaml': () => undefined,
  });
  const { log, lines } = recordingLog();
  const plane = new ControlPlane({ log });
  t.teardown(() => plane.close());
  const port = await plane.listen(0);
  const agent = startProgram([
    ...['run', '--control-plane', `ws://127.0.0.1:${port}`, '--agent-id', 'edge-1', '--listen', '0'],
    ...['--kubeconfig', join(folder, 'kubeconfig'), '--local-charts', join(folder, 'charts')],
    ...['--limits', 'steps=100000'],
  ]);
  t.teardown(() => agent.close());
  const running = await agent.logged('the agent is running');
  await plane.waitForAgent('edge-1', AbortSignal.timeout(60_000));
  return {
    folder,
    agent,
    logs: [lines, agent.lines],
    api: `http://127.0.0.1:${port}`,
    port: Number(running['port']),
    cluster,
    repository,
  };
}

async function addCharts(charts: string): Promise<void> {
  const head = 'apiVersion: v2\nname: a\nversion: 1.0.0\n';
  const folders: Record<string, Record<string, string>> = {
    quoting,
    invalid: { 'Chart.yaml': `apiVersion: v2\nname: ${sentinel}\nversion: ${sentinel}\n` },
    nunjucks: {
      'Chart.yaml': `${head}annotations:\n  helm-agent/engine: nunjucks\n`,
      'templates/a.yaml': 'a: {{ values.secret }}',
    },
    incompatible: { 'Chart.yaml': `${head}kubeVersion: '<1.0.0'\n` },
    engine: {
      'Chart.yaml': `${head}annotations:\n  helm-agent/engine: ${sentinel}\n`,
      'templates/a.yaml': 'a: b',
    },
    unparsed: { 'Chart.yaml': head, 'templates/a.yaml': `{{ ${sentinel}` },
  };
  for (const [name, files] of Object.entries(folders)) {
    for (const [path, text] of Object.entries(files)) {
      const file = join(charts, name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }
}

/** A Kubernetes API that refuses each request with the status in the name of the namespace. */
async function startRefusingApi(t: ExecutionContext): Promise<string> {
  const reasons: Record<number, string> = { 409: 'AlreadyExists', 412: 'Conflict' };
  const secrets = { name: 'secrets', kind: 'Secret', namespaced: true, singularName: 'secret', verbs: ['get', 'list'] };
  const discovery: Record<string, object> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [secrets] },
    '/apis': { kind: 'APIGroupList', groups: [] },
    '/api/v1/namespaces/free/secrets': { kind: 'SecretList', apiVersion: 'v1', metadata: {}, items: [] },
  };
  const server = createServer((request, response) => {
    const document = discovery[(request.url ?? '').split('?')[0] ?? ''];
    if (document !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
      return;
    }
    const status = Number(/\/namespaces\/refused-(\d+)\//.exec(request.url ?? '')?.[1] ?? 404);
    if (status === 0) response.destroy();
    else {
      const code = status === 412 ? 409 : status;
      const body = {
        kind: 'Status',
        status: 'Failure',
        message: sentinel,
        reason: reasons[status],
        code,
        details: { name: 'a' },
      };
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close().closeAllConnections());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cluster = {
    clusters: [{ name: 'a', cluster: { server: address, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'a', user: { token: sentinel } }],
  };
  const context = { contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }], 'current-context': 'a' };
  return JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...cluster, ...context });
}

type Payload = Record<string, unknown>;

/** Everything that a case can use. */
interface Tools extends Setting {
  /** Sends a command through the API. Resolves to the code of its result. */
  send: (type: string, payload: Payload, key?: string) => Promise<string>;
  /** Installs the quoting chart with these values, the secret among them. */
  quote: (values: Payload, payload?: Payload) => Promise<string>;
  /** Installs from a path of the repository, with the secret as password. */
  download: (path: string, payload?: Payload) => Promise<string>;
  /** Sends a frame to the agent. Resolves to the code of the first result with the key. */
  frame: (text: string, key?: string) => Promise<string>;
  /** Requests a path of the API. Resolves to the code of the error. */
  request: (path: string, init?: RequestInit) => Promise<string>;
  /** Stores a release of this name. */
  store: (name: string, data: string, status?: string) => Promise<void>;
  /**
   * Asks an agent whose API server refuses everything with this status; 0 closes the connection.
   */
  refused: (status: number) => Promise<string>;
  /** Sends a command to the agent of that API server, which has no local charts. */
  askOther: (type: string, payload: Payload) => Promise<string>;
  /** Starts a program that cannot start. Resolves to the code of its error. */
  failsToStart: (start: (setup: AgentSetup) => Promise<unknown>) => Promise<string>;
  /** Writes a file with the secret, and returns its path. */
  secretFile: (text: string) => Promise<string>;
}

/** How to provoke a code, or why that is not possible from outside. */
type Case = ((tools: Tools) => Promise<string>) | { reason: string };

const release = (status: string, part: object = {}) =>
  gzipSync(
    JSON.stringify({
      name: 'stored',
      namespace: 'default',
      version: 1,
      info: { status, description: sentinel },
      chart: { metadata: { name: 'a', version: '1.0.0' }, templates: [], values: { secret: sentinel } },
      config: { secret: sentinel },
      manifest: '',
      ...part,
    }),
  ).toString('base64');

const wrapped = { reason: 'readers of texts replace it by the code of what they read' };
const atTheEnd = { reason: 'disturbs the other cases: the test ends with it' };

const cases: Record<ErrorCode, Case> = {
  bad_packet: ({ frame }) => frame(`{"payload":"${sentinel}`),
  bad_payload: ({ frame }) =>
    frame(
      JSON.stringify({
        key: 'p',
        type: 'install_release',
        payload: JSON.stringify({ values: [sentinel], chartName: 7 }),
      }),
      'p',
    ),
  too_large: ({ frame }) =>
    frame(JSON.stringify({ key: 'l', type: 'install_release', payload: sentinel.repeat(800_000) }), 'l'),
  unknown_command: ({ frame }) =>
    frame(JSON.stringify({ key: 'u', type: sentinel, payload: `{"a":"${sentinel}"}` }), 'u'),
  async key_reused({ send }) {
    await send('get_release', { releaseName: 'reused' }, 'reused');
    return send('get_release', { releaseName: 'reused', namespace: sentinel }, 'reused');
  },
  busy: atTheEnd,
  shutting_down: atTheEnd,
  cancelled: atTheEnd,
  timeout: ({ quote }) => quote({ do: 'pod', args: ['sleep', '10h'] }, { timeout: '1s', atomic: false }),
  journal_unavailable: { reason: 'needs a journal in the cluster; test/journal has a test of its message' },
  lease_lost: { reason: 'is never sent: the process that leads sends the result' },
  journal_lost: { reason: 'is never sent: the other process sends the result' },
  continued_too_often: { reason: 'has a fixed text; test/agent/router has a test of it' },
  internal: { reason: 'is a defect of the agent; test/agent/router has a test of its log line' },

  recording_failed: { reason: 'has only the error of the file system; test/control-plane/sessions has a test of it' },
  stream_taken: { reason: 'has only the key of the command; test/control-plane/streams has a test of it' },
  stream_ended: { reason: 'has only the key of the command; test/control-plane/streams has a test of it' },
  stream_lost: { reason: 'has a fixed text; test/control-plane/streams has a test of it' },

  repository_unauthorized: ({ download }) => download('401'),
  repository_not_found: ({ download }) => download(sentinel),
  repository_failed: ({ download }) => download('500'),
  repository_timeout: { reason: 'takes two minutes; its message has only the address' },
  repository_invalid: ({ download }) => download('bad'),
  invalid_repository_url: ({ send }) =>
    send('install_release', { releaseName: 'url', chartName: 'a', repoUrl: `http://user:${sentinel}@[` }),
  invalid_version: ({ download }) => download('good', { chartVersion: `>>${sentinel}` }),
  chart_not_found: ({ download }) => download('good', { chartName: sentinel }),
  version_not_found: ({ download }) => download('good', { chartVersion: '9.9.9' }),
  address_denied: ({ askOther, repository }) =>
    askOther('install_release', {
      releaseName: 'denied',
      namespace: 'free',
      chartName: 'app',
      repoUrl: repository.url,
      repoUserName: 'reader',
      repoPassword: sentinel,
    }),
  digest_mismatch: ({ download }) => download('good', { chartVersion: '2.0.0' }),
  chart_not_verified: ({ send }) =>
    send('install_release', {
      releaseName: 'unsigned',
      chartName: 'quoting',
      values: `a: ${sentinel}`,
      chartProvenance: sentinel,
      verify: 'always',
    }),
  local_charts_disabled: ({ askOther }) =>
    askOther('install_release', {
      releaseName: 'a',
      namespace: 'free',
      chartName: 'quoting',
      values: `a: ${sentinel}`,
    }),
  path_forbidden: ({ send }) => send('install_release', { releaseName: 'path', chartName: `../${sentinel}` }),
  unsupported: ({ send }) =>
    send('install_release', { releaseName: 'ftp', chartName: `ftp://user:${sentinel}@example.com/a.tgz` }),

  chart_invalid: ({ send }) => send('install_release', { releaseName: 'invalid', chartName: 'invalid' }),
  chart_incompatible: ({ send }) => send('install_release', { releaseName: 'incompatible', chartName: 'incompatible' }),
  values_invalid: ({ quote }) => quote({ port: sentinel, word: sentinel }),
  values_not_found: ({ send }) =>
    send('install_release', {
      releaseName: 'missing',
      chartName: 'quoting',
      values: `a: ${sentinel}`,
      valuesFrom: [{ kind: 'Secret', name: 'missing' }],
    }),
  sealed_invalid: ({ send }) =>
    send('install_release', {
      releaseName: 'sealed',
      chartName: 'quoting',
      values: `a: ${sentinel}`,
      sealedValues: [
        {
          ...{ keyId: `SHA256:${'a'.repeat(43)}`, agentId: 'other', namespace: 'free', releaseName: 'sealed' },
          ...{ purpose: 'values', enc: `${'a'.repeat(43)}=`, ciphertext: 'aaaa' },
        },
      ],
    }),
  yaml_invalid: wrapped,
  kube_version_invalid: { reason: 'needs a cluster without a version' },

  template_parse_failed: wrapped,
  template_exec_failed: wrapped,
  async render_failed({ quote, send }) {
    const codes = await Promise.all(['fail', 'url', 'regex', 'tpl', 'number'].map((what) => quote({ do: what })));
    codes.push(await send('install_release', { releaseName: 'unparsed', chartName: 'unparsed' }));
    return codes.every((code) => code === 'render_failed') ? 'render_failed' : codes.join();
  },
  engine_unknown: ({ send }) => send('install_release', { releaseName: 'engine', chartName: 'engine' }),
  engine_forbidden: ({ send }) =>
    send('install_release', { releaseName: 'nunjucks', chartName: 'nunjucks', values: `secret: ${sentinel}` }),
  post_render_failed: { reason: 'no command has a post-renderer' },
  render_limit: ({ quote }) => quote({ do: 'loop' }),

  invalid_release_name: ({ quote }) => quote({ do: 'map' }, { releaseName: 'Not Allowed' }),
  invalid_namespace: ({ quote }) => quote({ do: 'map' }, { namespace: 'Not Allowed' }),
  namespace_not_found: ({ quote }) => quote({ do: 'map' }, { namespace: 'nothing', createNamespace: false }),
  async release_exists({ quote }) {
    await quote({ do: 'map', name: 'exists' }, { releaseName: 'exists' });
    return quote({ do: 'map', name: 'exists' }, { releaseName: 'exists' });
  },
  release_not_found: ({ send }) => send('get_release', { releaseName: 'nothing' }),
  async release_corrupt({ store, send }) {
    await store('corrupt', Buffer.from(`{"${sentinel}`).toString('base64'));
    await send('list_releases', {});
    return send('get_release', { releaseName: 'corrupt' });
  },
  async release_too_large({ store, send }) {
    await store('huge', release('deployed', { name: 'huge', manifest: sentinel.repeat(1_500_000) }));
    return send('get_release', { releaseName: 'huge' });
  },
  release_conflict: { reason: 'needs another client in the same moment' },
  async no_deployed_release({ store, send }) {
    await store('uninstalled', release('uninstalled', { name: 'uninstalled' }), 'uninstalled');
    return send('upgrade_release', {
      releaseName: 'uninstalled',
      chartName: 'quoting',
      values: `secret: ${sentinel}\n`,
    });
  },
  async pending_operation({ store, send }) {
    await store('pending', release('pending-install', { name: 'pending' }), 'pending-install');
    return send('upgrade_release', { releaseName: 'pending', chartName: 'quoting', values: `secret: ${sentinel}\n` });
  },
  plan_not_found: ({ send }) => send('apply_plan', { plan: `default/web@${'0'.repeat(12)}` }),
  release_not_trusted: { reason: 'the message has the name of the release only; test/bin has its cases' },
  agent_not_upgradable: { reason: 'the message has names of objects only; test/operation/agent-upgrade has its cases' },
  agent_upgrade_failed: { reason: 'the message has the end of the own log of the agent, which has no secret' },
  plan_stale: { reason: 'the message has names of objects only; test/operation/plan has its cases' },
  deployment_not_found: ({ send }) => send('deployment_info', { deploymentName: 'nothing' }),
  invalid_name: ({ quote }) => quote({ do: 'map', name: `${sentinel}/..` }),
  invalid_manifest: ({ quote }) => quote({ do: 'map', kind: sentinel }),
  async ownership_conflict({ cluster, quote }) {
    const metadata = { name: 'foreign', namespace: 'default' };
    await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: sentinel } });
    return quote({ do: 'map', name: 'foreign' });
  },
  apply_failed: ({ quote }) => quote({ do: 'map', data: { a: [sentinel] } }),
  delete_failed: { reason: 'needs an API server that refuses to delete what it accepted' },
  hook_failed: ({ quote }) => quote({ do: 'pod', args: ['fail'], annotations: { 'helm.sh/hook': 'pre-install' } }),
  not_ready: ({ quote }) => quote({ do: 'pod', args: ['fail'] }),

  not_found: ({ refused }) => refused(404),
  already_exists: ({ refused }) => refused(409),
  conflict: ({ refused }) => refused(412),
  quota_conflict: { reason: 'needs requests of others at the same time; its message is that of the API server' },
  webhook_unavailable: { reason: 'lasts until the time limit; its message is that of the API server' },
  forbidden: ({ refused }) => refused(403),
  unauthorized: ({ refused }) => refused(401),
  invalid: ({ refused }) => refused(422),
  bad_request: ({ refused }) => refused(400),
  gone: ({ refused }) => refused(410),
  too_many_requests: ({ refused }) => refused(429),
  server_error: ({ refused }) => refused(500),
  unreachable: ({ refused }) => refused(0),
  unknown_kind: ({ askOther }) => askOther('deployment_info', { deploymentName: 'a' }),

  async unauthenticated({ logs, request }) {
    const { log, lines } = recordingLog();
    logs.push(lines);
    const plane = new ControlPlane({ apiToken: 'token', log });
    const port = await plane.listen(0);
    const headers = { authorization: `Bearer ${sentinel}` };
    const code = await request(`http://127.0.0.1:${port}/api/agents`, { headers });
    await plane.close();
    return code;
  },
  agent_not_connected: ({ api, request }) =>
    request(`${api}/api/agents/unknown/commands`, {
      method: 'POST',
      body: JSON.stringify({
        type: 'install_release',
        payload: { releaseName: 'a', chartName: 'a', values: sentinel },
      }),
    }),
  agent_not_found: ({ api, request }) => request(`${api}/api/agents/unknown`, { method: 'DELETE' }),
  token_not_found: ({ api, request }) => request(`${api}/api/tokens/8c6976e5b541`, { method: 'DELETE' }),
  session_not_found: { reason: 'has a fixed text; test/control-plane/sign-in has a test of it' },
  provider_unavailable: { reason: 'has a fixed text; test/control-plane/sign-in has a test of it' },
  rollout_not_found: { reason: 'has a fixed text; test/control-plane/rollouts has a test of it' },
  rollout_conflict: { reason: 'has a fixed text; test/control-plane/rollouts has a test of it' },
  agent_connected: ({ api, request }) => request(`${api}/api/agents/edge-1`, { method: 'DELETE' }),
  agent_forgotten: { reason: 'has a fixed text; test/control-plane has a test of it' },
  agent_restarted: { reason: 'has a fixed text, and needs an agent that is replaced' },
  command_expired: { reason: 'has a fixed text; test/control-plane has a test of it' },
  store_unavailable: ({ failsToStart, secretFile }) =>
    failsToStart(async ({ log }) => {
      const store = createSqliteStore(await secretFile(`${sentinel}, which is no database`.repeat(100)));
      return new ControlPlane({ store, log }).listen(0);
    }),
  command_not_found: ({ api, request }) => request(`${api}/api/commands/${sentinel}`),
  unknown_route: ({ api, request }) => request(`${api}/api/${sentinel}?a=${sentinel}`),
  webhook_not_found: ({ api, request }) => request(`${api}/api/webhooks/${sentinel}`, { method: 'DELETE' }),
  method_not_allowed: ({ api, request }) => request(`${api}/api/agents/${sentinel}?a=${sentinel}`, { method: 'PUT' }),
  insecure_listen: ({ failsToStart }) =>
    failsToStart((setup) => agentOf({ ...setup, listen: { host: '0.0.0.0', port: 0 } })),
  token_unreadable: ({ failsToStart, secretFile }) =>
    failsToStart(async ({ log }) => {
      const apiToken = tokenFile(await secretFile(`${sentinel}\n${sentinel}`));
      return new ControlPlane({ apiToken, log }).listen(0);
    }),
  tls_file_unreadable: ({ failsToStart, secretFile }) =>
    failsToStart(async () => tlsFiles({ ca: await secretFile(`-----BEGIN ${sentinel}`) })()),
  rights_file_invalid: { reason: 'is about a file of the owner; test/rights has tests of its messages' },
  denied_by_policy: { reason: 'names rules of the owner, references, kinds and images; test/policy has its messages' },
  signature_required: { reason: 'names rules, holders and roles of the owner; test/signatures has its messages' },
  signature_invalid: { reason: 'names rules, times and keys of the owner; test/signatures has its messages' },
  signature_expired: { reason: 'has a time; test/signatures has its messages' },
  signature_replayed: { reason: 'has times; test/signatures has its messages' },
  approval_required: { reason: 'names rules, holders and roles of the owner; test/policy has its messages' },
  policy_invalid: { reason: 'is about a file of the owner; test/policy has tests of its messages' },
  agents_file_invalid: ({ failsToStart, secretFile }) =>
    failsToStart(async ({ log }) => openAgentsFile(await secretFile(`{"agents":"${sentinel}`), { log })),
};

interface Reply {
  error?: { code: string };
  result?: { ok: boolean; error?: { code: string } };
}

const codeOf = ({ ok, error }: { ok: boolean; error?: { code: string } }) => (ok ? 'ok' : (error?.code ?? ''));

async function toolsOf(t: ExecutionContext, setting: Setting): Promise<Tools> {
  const { api, port, cluster, folder, logs, repository } = setting;
  const { log, lines } = recordingLog();
  logs.push(lines);
  const setup: AgentSetup = {
    agentId: 'edge-2',
    cluster: { text: await startRefusingApi(t) },
    listen: { host: '127.0.0.1', port: 0 },
    denyAddresses: ['loopback'],
    log,
  };
  const other = await agentOf(setup);
  t.teardown(() => other.stop());
  const counter = { releases: 0 };

  async function secretFile(text: string): Promise<string> {
    const file = join(folder, randomUUID());
    await writeFile(file, text);
    return file;
  }

  async function fetchJson(path: string, init?: RequestInit): Promise<Reply> {
    const headers = new Headers(init?.headers);
    headers.set('content-type', 'application/json');
    const response = await fetch(path, { ...init, headers });
    return (await response.json()) as Reply; // the API sends nothing else
  }

  async function send(type: string, payload: Payload, key: string = randomUUID()): Promise<string> {
    const body = JSON.stringify({ type, payload, key });
    const sent = await fetchJson(`${api}/api/agents/edge-1/commands`, { method: 'POST', body });
    if (sent.error) return sent.error.code;
    for (;;) {
      const { result } = await fetchJson(`${api}/api/commands/${key}`);
      if (result) return codeOf(result);
      await sleep(20);
    }
  }

  async function ask(to: number, text: string, key?: string): Promise<string> {
    const client = await dialAgent(t, to, ['helm-agent.v1']);
    client.send(text);
    const packet = await client.packet((one) => one.type === 'result' && one.key === key);
    // results consist of an object
    return codeOf(JSON.parse(packet.payload ?? '') as { ok: boolean });
  }

  const askOther = (type: string, payload: Payload) => {
    const key = randomUUID();
    return ask(Number(other.port), JSON.stringify({ key, type, payload: JSON.stringify(payload) }), key);
  };
  const credentials = { repoUserName: 'reader', repoPassword: sentinel };

  return {
    ...setting,
    send,
    quote: ({ ...values }, payload) =>
      send('install_release', {
        releaseName: `release-${++counter.releases}`,
        chartName: 'quoting',
        values: JSON.stringify({ do: '', secret: sentinel, ...values }),
        ...payload,
      }),
    download: (path, payload) =>
      send('install_release', {
        releaseName: `download-${++counter.releases}`,
        chartName: 'app',
        repoUrl: `${repository.url}/${path}`,
        ...credentials,
        ...payload,
      }),
    frame: (text, key) => ask(port, text, key),
    async request(path, init) {
      return (await fetchJson(path, init)).error?.code ?? 'ok';
    },
    async store(name, data, status = 'deployed') {
      await cluster.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `sh.helm.release.v1.${name}.v1`,
          namespace: 'default',
          labels: { owner: 'helm', name, status, version: '1' },
        },
        type: 'helm.sh/release.v1',
        data: { release: Buffer.from(data).toString('base64') },
      });
    },
    refused: (status) => askOther('list_releases', { namespace: `refused-${status}` }),
    askOther,
    async failsToStart(startIt) {
      const error = await t.throwsAsync<Error & { code?: unknown }>(startIt(setup));
      logs.push([error.message]);
      return String(error.code);
    },
    secretFile,
  };
}

/** Sends more reading commands than run at a time, until one is refused. */
async function keepBusy({ port }: Tools): Promise<void> {
  const payload = JSON.stringify({ releaseName: 'busy', namespace: sentinel.toLowerCase() });
  const socket = new WebSocket(`ws://127.0.0.1:${port}/exe-cmd`, ['helm-agent.v1']);
  await once(socket, 'open');
  for (let key = 0; key < 200; key++) socket.send(JSON.stringify({ key: `busy-${key}`, type: 'get_release', payload }));
  for await (const [data] of on(socket, 'message') as AsyncIterable<[Buffer]>) {
    if (data.includes('\\"busy\\"')) break;
  }
  socket.terminate();
}

/** Ends the agent while it installs. Resolves to the codes of the installation and of another. */
async function stopAgent(t: ExecutionContext, { agent, cluster, port, quote }: Tools): Promise<string[]> {
  const client = await dialAgent(t, port, ['helm-agent.v1']);
  const installing = quote({ do: 'pod', args: ['sleep', '10h'] }, { namespace: 'last' });
  const jobs = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'last' };
  await eventually('the Job exists', async () => (await cluster.list(jobs)).length > 0);
  process.kill(agent.pid, 'SIGTERM');
  await agent.logged('the agent is stopping');
  const payload = JSON.stringify({ releaseName: 'a', chartName: 'a', values: sentinel });
  client.send({ key: 'late', type: 'install_release', payload });
  const { payload: late = '' } = await client.packet(({ type, key }) => type === 'result' && key === 'late');
  // results consist of an object
  return [codeOf(JSON.parse(late) as { ok: boolean }), await installing];
}

test('no log and no packet to another client has a value of a command, whatever its error is', async (t) => {
  t.timeout(300_000);
  const setting = await start(t);
  const tools = await toolsOf(t, setting);
  const bystander = await dialAgent(t, setting.port, ['helm-agent.v1']);
  const outcomes = await Promise.all(
    Object.entries(cases).map(async ([code, provoke]) => [
      code,
      typeof provoke === 'function'
        ? await Promise.race([provoke(tools), sleep(200_000, 'no response', { ref: false })])
        : code,
    ]),
  );
  t.deepEqual(
    outcomes.filter(([code, outcome]) => code !== outcome),
    [],
  );
  await keepBusy(tools);
  t.deepEqual(await stopAgent(t, tools), ['shutting_down', 'cancelled']);
  await setting.agent.ended;

  const leaking = setting.logs.flatMap((lines) => lines.filter((line) => line.includes(sentinel)));
  t.deepEqual(leaking, []);
  t.deepEqual(
    bystander.packets.map(({ type }) => type),
    ['hello'],
  );
});
