import test, { type ExecutionContext } from 'ava';
import { isTracingWanted, type Sampling, samplingOf } from '../../src/tracing/environment.ts';

type Environment = Record<string, string>;

const wanted = test.macro((t: ExecutionContext, env: Environment, expected: boolean) => {
  t.is(isTracingWanted(env), expected);
});
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test('no traces without an endpoint', wanted, {}, false);
test('no traces with an empty endpoint', wanted, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false);
test('traces with an endpoint', wanted, endpoint, true);
test('traces with an endpoint for traces', wanted, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/v1' }, true);
test('no traces if OpenTelemetry is disabled', wanted, { ...endpoint, OTEL_SDK_DISABLED: 'True' }, false);
test('no traces if no exporter is wanted', wanted, { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false);

const sampling = test.macro((t: ExecutionContext, name: string, argument: string, expected: Sampling | undefined) => {
  t.deepEqual(samplingOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument }), expected);
});

test('all traces by default', sampling, '', '', { followsParent: true, ratio: 1 });
test('always_on', sampling, 'always_on', '', { followsParent: false, ratio: 1 });
test('always_off', sampling, 'always_off', '0.5', { followsParent: false, ratio: 0 });
test('traceidratio', sampling, 'traceidratio', '0.25', { followsParent: false, ratio: 0.25 });
test('traceidratio without an argument', sampling, 'traceidratio', '', { followsParent: false, ratio: 1 });
test('parentbased_always_off', sampling, 'parentbased_always_off', '', { followsParent: true, ratio: 0 });
test('parentbased_traceidratio', sampling, 'parentbased_traceidratio', '0.1', { followsParent: true, ratio: 0.1 });
test('a ratio above 1 is not valid', sampling, 'traceidratio', '2', undefined);
test('a ratio that is no number is not valid', sampling, 'traceidratio', 'half', undefined);
test('an unknown sampler is not valid', sampling, 'jaeger_remote', '', undefined);
test('a name of an object is no sampler', sampling, 'constructor', '', undefined);
