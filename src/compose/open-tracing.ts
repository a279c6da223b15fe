import { randomUUID } from 'node:crypto';
import { isTracingWanted } from '../tracing/environment.ts';
import type { OpenTelemetryOptions } from '../tracing/open-telemetry.ts';
import { noTracing, type Tracing } from '../tracing/tracing.ts';
import { version } from './version.ts';

/** Returns the tracing that the environment asks for. Its library is loaded only for that. */
export async function openTracing(options: OpenTelemetryOptions): Promise<Tracing> {
  if (!isTracingWanted(options.env)) return noTracing;
  const { openTelemetry } = await import('../tracing/open-telemetry.ts');
  const attributes = { 'service.version': version, 'service.instance.id': randomUUID(), ...options.attributes };
  return openTelemetry({ ...options, attributes });
}
