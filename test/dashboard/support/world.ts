import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentOf } from '../../../src/compose/agent-of.ts';
import { ControlPlane, createSqliteStore, type Role } from '../../../src/control-plane/index.ts';
import { processHost } from '../../../src/render/process-host.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { buildDashboard } from '../../../tools/build-dashboard.ts';
import { recordingLog } from '../../agent/support/log.ts';

/** A control plane with a dashboard, and an agent in a simulated cluster. */
export interface DashboardWorld {
  plane: ControlPlane;
  /** URL of the control plane. */
  url: string;
  /** The token of an administrator. */
  token: string;
  /** Returns the token of a user with some roles. */
  tokenOf(name: string, roles: readonly Role[]): Promise<string>;
  /** Stops the control plane, and starts another one with the same port and the same store. */
  restart(): Promise<void>;
}

const charts = fileURLToPath(new URL('../../../examples/charts', import.meta.url));
const rootToken = 'token-of-the-administrator';

/** Starts all of it. `cleanup` stops it in reverse order. */
export async function dashboardWorld(cleanup: AsyncDisposableStack): Promise<DashboardWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-dashboard-'));
  cleanup.defer(() => rm(folder, { recursive: true }));
  await buildDashboard(join(folder, 'dashboard'));
  const start = async (port: number) => {
    const plane = new ControlPlane({
      ...{ version: '1.2.3', apiToken: rootToken, insecure: true, dashboard: join(folder, 'dashboard') },
      store: createSqliteStore(join(folder, 'commands.db')),
      ...{ recordSessions: 'terminals', recordingFolder: join(folder, 'recordings') },
    });
    return { plane, port: await plane.listen(port) };
  };
  const { plane, port } = await start(0);
  const sandbox = await startSandbox({ host: processHost(), speed: 20 });
  cleanup.defer(() => sandbox.close());
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, sandbox.kubeconfig);
  const agent = await agentOf({
    agentId: 'shop-berlin',
    cluster: { file: kubeconfig },
    controlPlaneUrl: `ws://127.0.0.1:${port}`,
    localCharts: charts,
    log: recordingLog().log,
  });
  cleanup.defer(() => agent.stop());
  const world: DashboardWorld = {
    plane,
    url: `http://127.0.0.1:${port}`,
    token: rootToken,
    tokenOf: async (name, roles) => (await world.plane.tokens.create({ name, roles })).token,
    async restart() {
      await world.plane.close({ retryAfter: 0 });
      world.plane = (await start(port)).plane;
    },
  };
  cleanup.defer(() => world.plane.close());
  await plane.waitForAgent('shop-berlin', AbortSignal.timeout(20_000));
  return world;
}
