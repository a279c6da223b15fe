import * as z from 'zod';
import { maxUploadedChartBytes } from '../../protocol/limits.ts';
import { chartDigestSchema } from '../../protocol/streams/chart-stream.ts';
import { receivedInTime } from '../../protocol/streams/least-rate.ts';
import { validate } from '../../protocol/validation.ts';
import type { Guard } from '../access/guard.ts';
import { ControlPlaneError } from '../error.ts';
import { type ApiRoute, sendJson } from '../http-json.ts';
import type { Logger } from '../logger.ts';
import type { ChartArchives } from './chart-archives.ts';

export interface ChartRoutesOptions {
  charts: Pick<ChartArchives, 'has' | 'receive'>;
  guard: Pick<Guard, 'requireUpload'>;
  /** Time in milliseconds for a user to send each 64 KiB of a chart. */
  uploadWaitMs: number;
  log: Logger;
}

const digestSchema = z.object({ digest: chartDigestSchema });

/** Returns the routes of the charts that users upload. */
export function chartRoutes({ charts, guard, uploadWaitMs, log }: ChartRoutesOptions): ApiRoute[] {
  return [
    {
      method: 'HEAD',
      path: '/api/charts/{digest}',
      parameter: chartDigestSchema,
      audience: 'users',
      name: 'hasChart',
      summary: 'Says whether the archive of a chart is stored',
      responses: { 200: { description: 'It is stored' } },
      errors: ['chart_not_found', 'forbidden'],
      handler(_request, response, digest, { principal }) {
        guard.requireUpload(principal);
        if (!charts.has(digest)) throw new ControlPlaneError('chart_not_found', 'the chart is not uploaded');
        sendJson(response, 200, { digest });
      },
    },
    {
      method: 'PUT',
      path: '/api/charts/{digest}',
      parameter: chartDigestSchema,
      audience: 'users',
      name: 'uploadChart',
      summary: `Stores the archive of a chart, at most ${maxUploadedChartBytes} bytes`,
      body: { mediaType: 'application/octet-stream' },
      responses: {
        200: { description: 'It was there before', schema: digestSchema },
        201: { description: 'It is stored', schema: digestSchema },
      },
      errors: ['bad_request', 'digest_mismatch', 'too_large', 'busy', 'timeout', 'forbidden'],
      async handler(request, response, digest, { principal }) {
        guard.requireUpload(principal);
        requireDigest(digest);
        const isNew = !charts.has(digest);
        const content: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
        const tooSlow = () => new ControlPlaneError('timeout', 'the chart arrives too slowly; upload it again');
        if (isNew) await charts.receive(receivedInTime(content, { tooSlow, waitMs: uploadWaitMs }), digest);
        else request.resume();
        if (isNew) log.info({ digest, sentBy: principal.name }, 'chart uploaded');
        sendJson(response, isNew ? 201 : 200, { digest });
      },
    },
  ];
}

function requireDigest(digest: string): void {
  const validated = validate(chartDigestSchema, digest, 'the digest');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
}
