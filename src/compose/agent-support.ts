import type { Agent } from '../agent/agent.ts';
import type { CommandHandler } from '../agent/commands/command-handler.ts';
import type { RecentLines } from '../agent/support/recent-lines.ts';
import type { ConnectionSource } from '../kube/index.ts';
import type { MetricsText } from '../net/health-server.ts';
import type { Cluster } from '../objects/cluster.ts';
import { defaultRights, type Right } from '../protocol/commands/definition.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { noTracing, type Tracing } from '../tracing/tracing.ts';

/** The settings of an agent that support bundles use. */
export interface SupportSetup {
  agentId: string;
  cluster: ConnectionSource;
  allowedRights?: readonly Right[] | undefined;
  rightsFile?: string | undefined;
  tokenFile?: string | undefined;
  listenTokenFile?: string | undefined;
  enrolmentTokenFile?: string | undefined;
  keyFile?: string | undefined;
  tracing?: Tracing | undefined;
  /** The flags of the agent, for support bundles. Default: none. */
  settings?: Readonly<Record<string, unknown>> | undefined;
  /** The newest log lines, for support bundles. Default: none. */
  recentLines?: RecentLines | undefined;
}

interface AgentSupport {
  tracing: Tracing;
  perform: CommandHandler<'support_bundle'>;
}

/** The parts of an agent that support bundles show. */
interface SupportedAgent {
  /** The cluster with the rights of the agent, and the namespace of that. */
  cluster: Cluster & { namespace: string };
  metrics: MetricsText | undefined;
  redactor: Redactor;
  /** Returns the agent that works. Undefined before its start. */
  agent: () => Agent | undefined;
}

/** Returns what collects support bundles. It notes commands only if its owner allows bundles. */
export async function agentSupport(setup: SupportSetup, supported: SupportedAgent): Promise<AgentSupport> {
  const { tracing = noTracing, allowedRights = defaultRights } = setup;
  if (!allowedRights.includes('support')) {
    return {
      tracing,
      perform: () => Promise.reject(new Error('the owner of the agent does not allow support bundles')),
    };
  }
  const { RecentCommands } = await import('../agent/support/recent-commands.ts');
  const commands = new RecentCommands(tracing, () => new Date());
  return {
    tracing: commands,
    async perform(_payload, { signal }) {
      const { supportBundle } = await import('../agent/support/support-bundle.ts');
      const { supportSources } = await import('./support-sources.ts');
      const { supportSecrets } = await import('./support-secrets.ts');
      const { cluster, redactor } = supported;
      const { namespace } = cluster;
      const { agentId, settings = {}, rightsFile, recentLines: lines } = setup;
      const files = [setup.tokenFile, setup.listenTokenFile, setup.enrolmentTokenFile, setup.keyFile];
      return await supportBundle({
        sources: supportSources({
          ...{ ...supported, agentId, namespace, settings, allowedRights, rightsFile, commands, lines },
        }),
        secrets: supportSecrets({ cluster, namespace, source: setup.cluster, files, env: process.env }),
        redact: (texts, secrets, ended) => redactor.redact(texts, secrets, ended),
        signal,
      });
    },
  };
}
