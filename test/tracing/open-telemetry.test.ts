import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { openTelemetry, type OpenTelemetryOptions } from '../../src/tracing/open-telemetry.ts';
import { testAgent } from '../agent/support/agent.ts';
import { testPlane } from '../control-plane/support/plane.ts';
import { eventually } from '../support/eventually.ts';
import { collector, valuesOf } from './support/collector.ts';

const client = 3;
const server = 2;
const error = 2;
const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const install = { type: 'install_release', payload: { namespace: 'shop', releaseName: 'web', chartName: 'c' } };

/** The library reads the endpoint from the environment, so tests of it are serial. */
function opened(t: ExecutionContext, url: string, options: Partial<OpenTelemetryOptions> = {}) {
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = url;
  const problems: string[] = [];
  const tracing = openTelemetry({
    ...{ env: process.env, kind: 'server', service: 'helm-agent', attributes: {}, timeLimitMs: 500, delayMs: 10 },
    onProblem: (message) => problems.push(message),
    ...options,
  });
  t.teardown(() => tracing.close());
  return { tracing, problems };
}

test.serial('a trace goes from a REST request over the control plane to the agent and its steps', async (t) => {
  const spans = await collector(t);
  const plane = await testPlane(t, { tracing: opened(t, spans.url, { kind: 'client' }).tracing });
  const { tracing } = opened(t, spans.url, { attributes: { 'helm_agent.agent': 'edge-1' } });
  const { puppets, lines } = await testAgent(t, { controlPlaneUrl: plane.agentUrl, tracing });
  await plane.plane.waitForAgent('edge-1');
  await fetch(`${plane.url}/api/agents/edge-1/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: parent },
    body: JSON.stringify({ ...install, payload: { ...install.payload, values: 'password: sentinel' }, key: 'k' }),
  });
  const call = await puppets.call(0);
  for (const step of ['render', 'apply'] as const) {
    call.context.progress({ step, state: 'running', time: '' });
    call.context.progress({ step, state: 'running', time: '', message: 'sentinel' });
    call.context.progress({ step, state: 'done', time: '', message: 'sentinel' });
  }
  call.succeed();
  const sent = await spans.span('install_release', client);
  const performed = await spans.span('install_release', server);
  const steps = [await spans.span('render'), await spans.span('apply')];
  t.is(sent.parentSpanId, 'b7ad6b7169203331');
  t.is(performed.parentSpanId, sent.spanId);
  for (const step of steps) t.is(step.parentSpanId, performed.spanId);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  t.deepEqual(new Set([sent, performed, ...steps].map((span) => span.traceId)), new Set([traceId]));
  t.like(valuesOf(performed), {
    'cicd.pipeline.name': 'install_release',
    'cicd.pipeline.run.id': 'k',
    'cicd.pipeline.result': 'success',
    'k8s.namespace.name': 'shop',
    'helm_agent.release': 'web',
  });
  t.is(spans.spans().length, 4, 'one span for each command and step');
  t.true(spans.resources().some((resource) => resource['helm_agent.agent'] === 'edge-1'));
  t.false(spans.bodies.join('').includes('sentinel'), 'no value and no message is in a span');
  t.true(lines.some((line) => line.includes('command succeeded') && line.includes(`"traceId":"${traceId}"`)));
});

test.serial(
  'a command that waits has a span for that, and one that fails has only the code of its error',
  async (t) => {
    const spans = await collector(t);
    const { plane, agentUrl } = await testPlane(t);
    const { puppets, lines } = await testAgent(t, { controlPlaneUrl: agentUrl, tracing: opened(t, spans.url).tracing });
    await plane.waitForAgent('edge-1');
    plane.send('edge-1', { ...install, key: 'a', traceparent: parent });
    const second = plane.send('edge-1', { ...install, key: 'b' });
    const first = await puppets.call(0);
    await eventually('the second command waits', () => second.state === 'accepted');
    first.context.progress({ step: 'wait', state: 'running', time: '' });
    first.fail(Object.assign(new Error('the password is sentinel'), { code: 'not_ready' }));
    (await puppets.call(1)).succeed();
    await eventually('both commands have a span', () => {
      return spans.spans().filter(({ name }) => name === 'install_release').length === 2;
    });
    const queue = await spans.span('queue');
    const [failed, waited] = ['a', 'b'].map((key) =>
      spans.spans().find((span) => span.kind === server && valuesOf(span)['cicd.pipeline.run.id'] === key),
    );
    t.is(failed?.parentSpanId, 'b7ad6b7169203331', 'a control plane that sends no spans passes the parent on');
    t.is(failed?.status.code, error);
    t.regex(failed?.status.message ?? '', /^[a-z_]+$/);
    t.is((await spans.span('wait')).parentSpanId, failed?.spanId);
    t.is(queue.parentSpanId, waited?.spanId);
    t.not(waited?.traceId, failed?.traceId, 'a command without a parent begins a trace');
    t.false(spans.bodies.join('').includes('sentinel'));
    t.true(lines.some((line) => line.includes('command failed') && line.includes(failed?.traceId ?? '?')));
  },
);

test.serial('an endpoint that does not respond slows no command, and ends with the process', async (t) => {
  const { url } = await collector(t, () => undefined);
  const { tracing, problems } = opened(t, url);
  const { plane, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl, tracing });
  await plane.waitForAgent('edge-1');
  const command = plane.send('edge-1', install);
  (await puppets.call(0)).succeed();
  t.true((await command.result).ok);
  await eventually('the problem is reported', () => problems.length > 0);
  tracing.begin({ type: 'install_release', key: 'k', parent: undefined }).end('success');
  const start = performance.now();
  await tracing.close();
  t.true(performance.now() - start < 2000);
  t.deepEqual(problems, ['cannot send traces; they are dropped']);
});

test.serial('an endpoint that sends its response byte by byte does not hold up the end', async (t) => {
  const timers = new Set<NodeJS.Timeout>();
  t.teardown(() => timers.forEach((timer) => clearInterval(timer)));
  const { url } = await collector(t, (_request, response) => {
    response.writeHead(200);
    timers.add(setInterval(() => response.write(' '), 20));
  });
  const { tracing } = opened(t, url);
  tracing.begin({ type: 'install_release', key: 'k', parent: undefined }).end('success');
  await sleep(50);
  const start = performance.now();
  await tracing.close();
  t.true(performance.now() - start < 2000);
});

test.serial('a refused connection is reported once, and again when it is over', async (t) => {
  let status = 400;
  const { url } = await collector(t, (_request, response) => response.writeHead(status).end('{"secret":"sentinel"}'));
  const fields: object[] = [];
  const { tracing } = opened(t, url, { onProblem: (message, more) => fields.push({ message, ...more }) });
  const end = () => tracing.begin({ type: 'install_release', key: 'k', parent: undefined }).end('success');
  end();
  await eventually('the problem is reported', () => fields.length === 1);
  end();
  await sleep(100);
  status = 200;
  end();
  await eventually('the end is reported', () => fields.length === 2);
  t.deepEqual(fields, [
    { message: 'cannot send traces; they are dropped', reason: 'Bad Request' },
    { message: 'traces can be sent again', reason: undefined },
  ]);
});

test.serial('spans that wait are bounded', async (t) => {
  const { url } = await collector(t, () => undefined);
  const { tracing } = opened(t, url, { delayMs: 60_000 });
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 50_000; count++) {
    tracing.begin({ type: 'install_release', key: 'k'.repeat(256), parent: undefined }).end('success');
  }
  t.true(process.memoryUsage().heapUsed - before < 64 * 1024 * 1024);
});

test.serial('a trace that its sender has not chosen sends no spans', async (t) => {
  const spans = await collector(t);
  const { tracing } = opened(t, spans.url);
  const span = tracing.begin({ type: 'install_release', key: 'k', parent: parent.replace(/01$/, '00') });
  span.step('apply').end('success');
  span.end('success');
  t.regex(span.traceparent ?? '', /^00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-00$/);
  await tracing.close();
  t.deepEqual(spans.spans(), []);
});

test.serial('a journaled parent that is not valid begins a trace', async (t) => {
  const spans = await collector(t);
  const { tracing } = opened(t, spans.url);
  for (const bad of ['', '-', 'a-b-c-d', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, '-'.repeat(1_000_000)]) {
    const { traceparent } = tracing.begin({ type: 'install_release', key: 'k', parent: bad });
    t.regex(traceparent ?? '', /^00-(?!0{32})[\da-f]{32}-[\da-f]{16}-01$/, bad.slice(0, 60));
  }
});
