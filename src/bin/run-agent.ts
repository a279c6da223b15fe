import { RecentLines } from '../agent/support/recent-lines.ts';
import type { RunSettings } from '../cli/run/settings-schema.ts';
import { serverTlsFiles } from '../cli/server-tls-settings.ts';
import { agentOf } from '../compose/agent-of.ts';
import { clusterOf } from '../compose/cluster-of.ts';
import { followLogLevel, processLogger } from '../compose/logger.ts';
import { openTracing } from '../compose/open-tracing.ts';
import { stopSignal } from '../compose/stop-signal.ts';
import { version } from '../compose/version.ts';

/** Runs an agent until the process gets a stop signal. */
export async function runAgent({ controlPlane, kubeconfig, ...settings }: RunSettings): Promise<void> {
  const isSupported = settings.allowedRights?.includes('support') === true;
  const recentLines = isSupported ? new RecentLines() : undefined;
  const log = processLogger(process.env['HELM_AGENT_LOG_LEVEL'], recentLines && ((line) => recentLines.add(line)));
  const endFollowing = followLogLevel(log, process.env['HELM_AGENT_LOG_LEVEL_FILE']);
  const cluster = clusterOf(kubeconfig);
  const { journal = settings.election || cluster === 'service-account' ? 'cluster' : 'memory' } = settings;
  const { controlPlaneCa: ca, clientCertificate: certificate, clientKey: key } = settings;
  const { tlsCertificate, tlsKey } = settings;
  const tracing = await openTracing({
    ...{ env: process.env, kind: 'server', service: 'helm-agent' },
    attributes: { 'helm_agent.agent': settings.agentId },
    onProblem: (message, fields) => log.warn(fields, message),
  });
  const agent = await agentOf({
    ...settings,
    listenTlsFiles: serverTlsFiles(tlsCertificate, tlsKey),
    ...(ca !== undefined || certificate !== undefined ? { tlsFiles: { ca, certificate, key } } : {}),
    proxyEnv: process.env,
    journal,
    cluster,
    controlPlaneUrl: controlPlane,
    log,
    tracing,
    settings: { controlPlane, kubeconfig, ...settings },
    recentLines,
  });
  log.info({ agentId: settings.agentId, version, port: agent.port }, 'the agent is running');
  const signal = await stopSignal();
  log.info({ signal }, 'the agent is stopping');
  await agent.stop();
  await tracing.close();
  endFollowing();
  log.info({}, 'the agent has stopped');
}
