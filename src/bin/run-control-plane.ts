import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { tokenFile } from '../agent/connection/token-file.ts';
import { abortReason, whenAborted } from '../async/index.ts';
import type { ControlPlaneSettings } from '../cli/control-plane/settings.ts';
import { serverTlsFiles } from '../cli/server-tls-settings.ts';
import { dashboardFolder } from '../compose/dashboard-folder.ts';
import { followLogLevel, processLogger } from '../compose/logger.ts';
import { openTracing } from '../compose/open-tracing.ts';
import { openProcessMetrics } from '../compose/process-metrics.ts';
import { stopSignal } from '../compose/stop-signal.ts';
import { version } from '../compose/version.ts';
import {
  type CommandStore,
  ControlPlane,
  ControlPlaneError,
  createMemoryStore,
  createPostgresStore,
  createSqliteStore,
  openAgentsFile,
  openEncryptionKeys,
  openServerTls,
  openSignInFile,
} from '../control-plane/index.ts';
import type { Logger } from '../control-plane/logger.ts';
import { controlPlaneMetrics } from '../metrics/control-plane-metrics.ts';
import { type HealthServer, startHealthServer } from '../net/health-server.ts';
import { silentIntervals } from '../protocol/pace.ts';

/** Runs a control plane until the process gets a stop signal. */
export async function runControlPlane(settings: ControlPlaneSettings): Promise<void> {
  const { agentsFile, apiTokenFile, encryptionKeyFile, listenInsecure } = settings;
  const log = processLogger(process.env['HELM_AGENT_LOG_LEVEL']);
  const endFollowing = followLogLevel(log, process.env['HELM_AGENT_LOG_LEVEL_FILE']);
  const { healthPort } = settings;
  const metrics = healthPort === undefined ? undefined : await openProcessMetrics(controlPlaneMetrics);
  metrics?.recorder.set('helm_agent_hub_build_info', { version }, 1);
  const agents = agentsFile === undefined ? undefined : await openAgentsFile(agentsFile, { log });
  const signIn = settings.signInFile === undefined ? undefined : await openSignInFile(settings.signInFile, { log });
  const files = serverTlsFiles(settings.tlsCertificate, settings.tlsKey);
  const tracing = await openTracing({
    ...{ env: process.env, kind: 'client', service: 'helm-agent-control-plane', attributes: {} },
    onProblem: (message, fields) => log.warn(fields, message),
  });
  const data = dataFile(settings, process.env);
  const store = storeOf(settings, data, log);
  const plane = new ControlPlane({
    authenticate: agents?.authenticate,
    registeredAgents: agents?.registeredAgents,
    areAgentsReadable: agents?.isReadable,
    apiToken: apiTokenFile === undefined ? undefined : tokenFile(apiTokenFile),
    signIn,
    insecure: listenInsecure,
    tls: files && (await openServerTls(files, { log })),
    ...(data !== undefined && { chartFolder: `${data}-charts`, recordingFolder: `${data}-recordings` }),
    maxConnections: settings.maxConnections,
    heartbeat: { pingIntervalMs: settings.heartbeat, silenceLimitMs: settings.heartbeat * silentIntervals },
    recordSessions: settings.recordSessions,
    requireSecond: settings.requireSecond,
    dashboard: dashboardFolder,
    webhookHosts: settings.webhookAllowHosts,
    store,
    encryption: encryptionKeyFile === undefined ? undefined : await openEncryptionKeys(encryptionKeyFile),
    log,
    recorder: metrics?.recorder,
    tracing,
    version,
  });
  let probes: HealthServer | undefined;
  const stopped = stopSignal();
  try {
    if (healthPort !== undefined) probes = await startHealthServer(healthPort, plane.health, metrics);
    const serve = async () => {
      const port = await plane.listen(settings.port, settings.host);
      log.info({ host: settings.host, port, version, data }, 'the control plane is listening');
      if (store.lost) throw await reasonOf(store.lost);
      return stopped;
    };
    const signal = await Promise.race([stopped, serve()]); // a replica that waits does not listen yet
    log.info({ signal }, 'the control plane is stopping');
  } catch (error) {
    throw settings.databaseUrlFile === undefined ? storeAdvice(error) : error;
  } finally {
    await plane.close({ retryAfter: settings.retryAfter / 1000 });
    await tracing.close();
    agents?.close();
    signIn?.close();
    probes?.close();
    endFollowing();
  }
}

/** Returns the file for commands and results; undefined if they are elsewhere. */
function dataFile(
  { data, databaseUrlFile }: ControlPlaneSettings,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return data === 'memory' || databaseUrlFile !== undefined ? undefined : resolve(data ?? defaultFile(env));
}

function storeOf(
  { databaseUrlFile, replicaAddress, keepCommands, keepMib, keepFor }: ControlPlaneSettings,
  file: string | undefined,
  log: Logger,
): CommandStore {
  const bytes = keepMib === undefined ? undefined : keepMib * 1024 * 1024;
  const retention = { commands: keepCommands, bytes, milliseconds: keepFor };
  if (databaseUrlFile !== undefined) {
    return createPostgresStore({ url: () => readFile(databaseUrlFile, 'utf8'), log, replicaAddress, retention });
  }
  return file === undefined ? createMemoryStore({ retention }) : createSqliteStore(file, { retention });
}

async function reasonOf(signal: AbortSignal): Promise<Error> {
  await whenAborted(signal);
  return abortReason(signal);
}

/** Returns the file for commands and results, in the folder for the state of programs. */
function defaultFile({ XDG_STATE_HOME: folder }: Readonly<Record<string, string | undefined>>): string {
  return join(folder || join(homedir(), '.local/state'), 'helm-agent/control-plane.db');
}

function storeAdvice(error: unknown): unknown {
  if (!(error instanceof ControlPlaneError) || error.code !== 'store_unavailable') return error;
  const advice = 'name another file with --data, or keep commands in memory with --data memory';
  return new Error(`${error.message}; ${advice}`, { cause: error });
}
