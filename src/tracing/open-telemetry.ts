import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Context, ROOT_CONTEXT, type Span as OtelSpan, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { limitedTime } from '../async/index.ts';
import { defaultSampling, type Sampling, samplingOf } from './environment.ts';
import type { CommandSpan, SpanResult, Tracing } from './tracing.ts';

export interface OpenTelemetryOptions {
  /** The standard variables of OpenTelemetry. The library also reads those of the process. */
  env: Readonly<Record<string, string | undefined>>;
  /** `server` for a process that performs commands, `client` for one that sends them. */
  kind: 'server' | 'client';
  /** Name of the service, unless `OTEL_SERVICE_NAME` has another. */
  service: string;
  /** Attributes of this process. */
  attributes: Readonly<Record<string, string>>;
  onProblem: (message: string, fields: object) => void;
  /**
   * Time for a batch of spans to be sent, and for the last ones when the process stops, in
   * milliseconds. Default: 3000.
   */
  timeLimitMs?: number;
  /** Time after which spans are sent together, in milliseconds. Default: 2000. */
  delayMs?: number;
}

/** Spans that wait to be sent; more are dropped. */
const maxQueueSize = 2048;

/** Requests with spans at a time. */
const concurrencyLimit = 2;

/** Characters of the reason why spans cannot be sent. */
const maxReasonLength = 200;

/** Characters of an attribute. */
const maxAttributeLength = 512;

/** Sends spans to the OTLP endpoint that the environment names, as JSON over HTTP. */
export function openTelemetry(options: OpenTelemetryOptions): Tracing {
  const { env, kind, service, attributes, onProblem, timeLimitMs = 3000, delayMs = 2000 } = options;
  const sampling = samplingOf(env);
  if (sampling === undefined) onProblem('OTEL_TRACES_SAMPLER or its argument is not valid; all traces are sent', {});
  // spans go to one host: a few connections, which `close` ends
  const agents = new Set<HttpAgent>();
  const exporter = new OTLPTraceExporter({
    ...{ timeoutMillis: timeLimitMs, concurrencyLimit },
    httpAgentOptions: (protocol) => {
      const agent = new (protocol === 'https:' ? HttpsAgent : HttpAgent)({
        keepAlive: true,
        maxSockets: concurrencyLimit,
      });
      agents.add(agent);
      return agent;
    },
  });
  const provider = new TracerProvider({
    sampler: samplerOf(sampling ?? defaultSampling),
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service, ...attributes }))
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reported(exporter, onProblem),
        ...{ maxQueueSize, scheduledDelayMillis: delayMs, exportTimeoutMillis: timeLimitMs },
      }),
    ],
  });
  const tracer = provider.getTracer('helm-agent');
  const spanKind = kind === 'server' ? SpanKind.SERVER : SpanKind.CLIENT;
  return {
    begin({ type, key, parent, attributes: more }) {
      const start = { 'cicd.pipeline.name': type, 'cicd.pipeline.run.id': key, ...more };
      const span = tracer.startSpan(type, { kind: spanKind, attributes: start }, contextOf(parent));
      return commandSpan(span, (name) =>
        tracer.startSpan(name, { attributes: { 'cicd.pipeline.task.name': name } }, trace.setSpan(ROOT_CONTEXT, span)),
      );
    },
    async close() {
      const limit = limitedTime(timeLimitMs, undefined);
      const late = new Promise<void>((resolve) => limit.signal?.addEventListener('abort', () => resolve()));
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      limit.end();
      for (const agent of agents) agent.destroy();
    },
  };
}

function samplerOf({ followsParent, ratio }: Sampling): Sampler {
  const root = ratio === 1 ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio);
  return followsParent ? new ParentBasedSampler({ root }) : root;
}

/** Returns the context of a `traceparent`. One that is not valid counts as absent. */
function contextOf(parent: string | undefined): Context {
  const [, traceId, spanId, flags] = parent?.split('-', 4) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function commandSpan(span: OtelSpan, startStep: (name: string) => OtelSpan): CommandSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    step(name) {
      const step = startStep(name);
      return { end: (result, code) => endSpan(step, 'cicd.pipeline.task.run.result', result, code) };
    },
    end: (result, code) => endSpan(span, 'cicd.pipeline.result', result, code),
  };
}

/** The message of an error can have values of a release, so a span only has its code. */
function endSpan(span: OtelSpan, attribute: string, result: SpanResult, code: string | undefined): void {
  span.setAttribute(attribute, result);
  if (code !== undefined) span.setAttribute('error.type', code);
  if (result === 'failure' || result === 'timeout') {
    span.setStatus({ code: SpanStatusCode.ERROR, ...(code !== undefined && { message: code }) });
  }
  span.end();
}

/** Reports when spans cannot be sent, and when they can be sent again. */
function reported(exporter: SpanExporter, onProblem: OpenTelemetryOptions['onProblem']): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.error !== undefined;
        if (hasFailed !== isFailing) {
          // the message can have text of the endpoint
          const reason = result.error?.message.slice(0, maxReasonLength);
          onProblem(hasFailed ? 'cannot send traces; they are dropped' : 'traces can be sent again', { reason });
        }
        isFailing = hasFailed;
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}
