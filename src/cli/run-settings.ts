import { z } from 'zod';
import { parseListenAddress } from '../agent/connection/listen-address.ts';
import { limitsDescription, limitsFlag, limitsSchema } from './limits.ts';
import { switchSchema, type Settings } from './settings.ts';

export const runSettings = {
  controlPlane: {
    flag: '--control-plane <url>',
    variable: 'HELM_AGENT_CONTROL_PLANE',
    description: 'the control plane to connect to, ws:// or wss://',
  },
  tokenFile: {
    flag: '--token-file <file>',
    variable: 'HELM_AGENT_TOKEN_FILE',
    description:
      'a file with the token for the control plane, which clients of --listen must bear too; read anew at each connection',
  },
  agentId: {
    flag: '--agent-id <id>',
    variable: 'HELM_AGENT_AGENT_ID',
    description: 'the name under which the control plane knows this agent; by default the name of the machine',
  },
  kubeconfig: {
    flag: '--kubeconfig <file>',
    variable: 'HELM_AGENT_KUBECONFIG',
    description: 'how to reach the cluster; by default the service account in a pod, or else what kubectl uses',
  },
  listen: {
    flag: '--listen <[host:]port>',
    variable: 'HELM_AGENT_LISTEN',
    description: 'serve clients of the Go helm-agent at /exe-cmd; the host is 127.0.0.1 where absent',
  },
  listenInsecure: {
    flag: '--listen-insecure',
    variable: 'HELM_AGENT_LISTEN_INSECURE',
    description: 'allow --listen on a host that others can reach without a token',
  },
  allowNunjucks: {
    flag: '--allow-nunjucks',
    variable: 'HELM_AGENT_ALLOW_NUNJUCKS',
    description: 'render charts that are written for Nunjucks, too',
  },
  localCharts: {
    flag: '--local-charts <dir>',
    variable: 'HELM_AGENT_LOCAL_CHARTS',
    description: 'the folder below which commands may name charts by path; by default none may',
  },
  limits: {
    flag: limitsFlag,
    variable: 'HELM_AGENT_LIMITS',
    description: limitsDescription,
  },
} satisfies Settings<string>;

const agentId = z
  .string()
  .regex(/^[A-Za-z0-9]([-._A-Za-z0-9]{0,251}[A-Za-z0-9])?$/, 'must be letters, digits, "-", "_" and ".", at most 253');

/** The schema of `run`'s settings; `hostName` is the default for the agent's id. */
export function runSchema(hostName: string) {
  return z
    .object({
      controlPlane: z.url({ protocol: /^wss?$/, error: 'must be a ws:// or wss:// URL' }).optional(),
      tokenFile: z.string().optional(),
      agentId: agentId.default(hostName),
      kubeconfig: z.string().optional(),
      listen: z
        .string()
        .transform((text, context) => {
          const address = parseListenAddress(text);
          if (!address) context.addIssue({ code: 'custom', message: 'must be PORT or HOST:PORT' });
          return address ?? z.NEVER;
        })
        .optional(),
      listenInsecure: switchSchema,
      allowNunjucks: switchSchema,
      localCharts: z.string().optional(),
      limits: limitsSchema.optional(),
    })
    .refine(({ controlPlane, listen }) => controlPlane !== undefined || listen !== undefined, {
      path: ['controlPlane'],
      message: 'give the control plane to connect to, or --listen to be connected to',
    });
}

/** What `helm-agent run` was told. */
export type RunSettings = z.output<ReturnType<typeof runSchema>>;
