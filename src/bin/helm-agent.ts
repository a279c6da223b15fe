#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { buffer } from 'node:stream/consumers';
import type { ControlPlaneSettings } from '../cli/control-plane-settings.ts';
import { createProgram } from '../cli/program.ts';
import type { RunSettings } from '../cli/run-settings.ts';
import { ControlPlane } from '../control-plane/index.ts';
import { tokenFile } from '../agent/connection/token-file.ts';
import { processHost } from '../render/process-host.ts';
import { clusterOf } from './cluster-of.ts';
import { localRenderer } from './local-renderer.ts';
import { processLogger } from './logger.ts';
import { stopSignal } from './stop-signal.ts';
import { terminalOf } from './terminal.ts';
import { version } from './version.ts';

const program = createProgram({
  version,
  env: process.env,
  hostName: hostname(),
  stdout: terminalOf(process.stdout),
  stderr: terminalOf(process.stderr),
  host: processHost(),
  readFile: (path) => (path.trim() === '-' ? buffer(process.stdin) : readFile(path)),
  fetch,
  onInterrupt(listener) {
    process.on('SIGINT', listener);
    return () => process.off('SIGINT', listener);
  },
  createRenderer: localRenderer,
  runAgent,
  runControlPlane,
});

process.exitCode = await program(process.argv.slice(2));

async function runAgent({ controlPlane, kubeconfig, ...settings }: RunSettings): Promise<void> {
  // the client of Kubernetes is large, and only the agent needs it
  const { agentOf } = await import('./agent-of.ts');
  const log = processLogger(process.env['HELM_AGENT_LOG_LEVEL']);
  const agent = await agentOf({ ...settings, cluster: clusterOf(kubeconfig), controlPlaneUrl: controlPlane, log });
  log.info({ agentId: settings.agentId, version, port: agent.port }, 'the agent is running');
  const signal = await stopSignal();
  log.info({ signal }, 'the agent stops');
  await agent.stop();
  log.info({}, 'the agent has stopped');
}

async function runControlPlane(settings: ControlPlaneSettings): Promise<void> {
  const { tokenFile: agentTokens, apiTokenFile: apiTokens, listenInsecure } = settings;
  const log = processLogger(process.env['HELM_AGENT_LOG_LEVEL']);
  const plane = new ControlPlane({
    agentToken: agentTokens === undefined ? undefined : tokenFile(agentTokens),
    apiToken: apiTokens === undefined ? undefined : tokenFile(apiTokens),
    insecure: listenInsecure,
    log,
    version,
  });
  const port = await plane.listen(settings.port, settings.host);
  log.info({ host: settings.host, port, version }, 'the control plane is listening');
  const signal = await stopSignal();
  log.info({ signal }, 'the control plane stops');
  await plane.close();
}
