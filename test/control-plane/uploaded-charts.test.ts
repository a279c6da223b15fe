import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { UploadedCharts } from '../../src/agent/charts/uploaded-charts.ts';
import type { CommandHandlers } from '../../src/agent/commands/command-handler.ts';
import { TunnelSource } from '../../src/agent/connection/tunnel-source.ts';
import { maxDataBytes } from '../../src/protocol/streams/frame.ts';
import { windowBytes } from '../../src/protocol/streams/tunnel-stream.ts';
import { KeptFiles } from '../../src/source/disk/kept-files.ts';
import { garbageCollector } from '../../src/threads/garbage.ts';
import { testAgent } from '../agent/support/agent.ts';
import { PuppetHandlers } from '../agent/support/handlers.ts';
import { testRelease } from '../agent/support/release.ts';
import { type FrameRelay, frameRelay } from './support/frame-relay.ts';
import { testPlane } from './support/plane.ts';

// `npm run test:charts` uses charts of 60 MiB
const mebibytes = Number(process.env['CHART_MIB'] ?? 2);
const chartBytes = mebibytes * 1024 * 1024;

/** Memory for two transfers, of which each end and the relay have windows, on a busy machine. */
const mostMemory = 32 * windowBytes;

async function* randomChart() {
  for (let size = 0; size < chartBytes; size += maxDataBytes) {
    await Promise.resolve();
    yield randomBytes(maxDataBytes);
  }
}

/** Starts a control plane, and an agent behind a slow line whose commands only load charts. */
async function slowLine(t: ExecutionContext) {
  t.timeout(10 * 60_000);
  const { plane, agentUrl } = await testPlane(t);
  const relay = await frameRelay(t, agentUrl);
  const tunnels = new TunnelSource();
  const memory = memoryMeter();
  const files = new KeptFiles();
  const uploads = new UploadedCharts({ tunnels, files });
  t.teardown(() => files.clear());
  const handlers: CommandHandlers = {
    ...new PuppetHandlers().handlers,
    list_releases: () => Promise.resolve({ releases: [] }),
    async install_release({ releaseName, chartUpload = '' }, { signal }) {
      const archive = await uploads.load(chartUpload, signal);
      return { release: { ...testRelease(releaseName), manifest: String(archive.length) } };
    },
  };
  await testAgent(t, { controlPlaneUrl: relay.url, handlers, tunnels });
  await plane.waitForAgent('edge-1');
  const install = async (releaseName: string, chartUpload: string) => {
    const result = await plane.install('edge-1', { releaseName, chartName: 'c', chartUpload }).result;
    t.like(result, { ok: true, release: { name: releaseName, manifest: String(chartBytes) } });
  };
  return { plane, relay, memory, install };
}

/** Returns a function that measures the memory of buffers in use, and returns the most so far. */
function memoryMeter() {
  const collect = garbageCollector();
  const used = () => {
    collect('all');
    return process.memoryUsage().arrayBuffers;
  };
  const before = used();
  let most = 0;
  return () => (most = Math.max(most, used() - before));
}

/** Returns the ids of the streams whose data was passed, in its order. */
const dataIds = ({ passed }: FrameRelay) =>
  passed.flatMap(({ frame }) => (typeof frame !== 'string' && frame.type === 'data' ? [frame.id] : []));

/** Returns the offsets from which the agent has asked for charts. */
const offsets = ({ passed }: FrameRelay) =>
  passed.flatMap(({ frame }) =>
    typeof frame !== 'string' && frame.type === 'open' ? [(frame.header as { offset: number }).offset] : [],
  );

test.serial(`a chart of ${mebibytes} MiB arrives once over a line that is cut three times`, async (t) => {
  const { plane, relay, memory, install } = await slowLine(t);
  const digest = await plane.uploadChart(randomChart());
  let cuts = 0;
  let most = 0;
  relay.onData = (bytes) => {
    // the chart itself is read into memory in the end
    if ((bytes / maxDataBytes) % 16 === 0) most = memory();
    const isDue = cuts < 3 && bytes > ((cuts + 1) * chartBytes) / 4;
    if (isDue) cuts++;
    return isDue;
  };
  await install('web', digest);
  t.is(relay.connections, 4);
  const asked = offsets(relay);
  t.is(asked.length, 4);
  t.is(asked[0], 0);
  for (const [index, offset] of asked.slice(1).entries()) t.true(offset > (asked[index] ?? 0), asked.join(', '));
  // data that was on the line when it was cut is sent again
  t.true(dataIds(relay).length * maxDataBytes <= chartBytes + cuts * windowBytes);
  t.log(`memory of buffers: ${Math.round(most / 1024)} KiB more; offsets: ${asked.join(', ')}`);
  t.true(most < mostMemory);

  await install('other', digest);
  t.is(offsets(relay).length, 4, 'the agent has the chart');
});

test.serial(
  `two charts of ${mebibytes} MiB share the line, and a packet waits for no more than what may be on it`,
  async (t) => {
    const { plane, relay, memory, install } = await slowLine(t);
    const digests = [await plane.uploadChart(randomChart()), await plane.uploadChart(randomChart())];
    const waits: number[] = [];
    const packets: Promise<unknown>[] = [];
    let frames = 0;
    let most = 0;
    relay.onData = () => {
      frames++;
      // while both are sent
      if (frames > chartBytes / maxDataBytes) return false;
      if (frames % 16 === 0) most = memory();
      if (frames % 16 === 8) {
        const before = frames;
        packets.push(plane.list('edge-1').result.then(() => waits.push(frames - before)));
      }
      return false;
    };
    await Promise.all(digests.map((digest, index) => install(`release-${index}`, digest)));
    await Promise.all(packets);
    const ids = dataIds(relay);
    const overlap = ids.slice(ids.lastIndexOf(ids[0] ?? 0, 0), Math.min(...[1, 3].map((id) => ids.lastIndexOf(id))));
    const both = overlap.slice(overlap.indexOf(3));
    const share = both.filter((id) => id === 1).length / both.length;
    t.log(
      `share of the first: ${share.toFixed(3)} of ${both.length} frames; longest waits: ${Math.max(...waits)} frames`,
    );
    t.true(share > 0.4 && share < 0.6);
    t.true(waits.length > 0);
    const onLine = (2 * windowBytes) / maxDataBytes;
    t.true(
      Math.max(...waits) <= 2 * onLine,
      'a result comes back after at most what both streams may have on the line',
    );
    t.is(relay.connections, 1);
    t.log(`memory of buffers: ${Math.round(most / 1024)} KiB more`);
    t.true(most < mostMemory);
  },
);
