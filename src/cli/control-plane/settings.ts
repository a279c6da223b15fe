import { z } from 'zod';
import { agentsFileSetting } from '../agents/setting.ts';
import { portSchema, switchSchema, type Settings } from '../settings.ts';

export const controlPlaneSettings = {
  port: {
    flag: '--port <port>',
    variable: 'HELM_AGENT_PORT',
    description: 'port for agents and for the REST API',
    default: '8088',
  },
  host: {
    flag: '--host <host>',
    variable: 'HELM_AGENT_HOST',
    description: 'address to listen on',
    default: '127.0.0.1',
  },
  agentsFile: agentsFileSetting,
  apiTokenFile: {
    flag: '--api-token-file <file>',
    variable: 'HELM_AGENT_API_TOKEN_FILE',
    description: 'file with the token that users of the REST API must send',
    default: 'none; the REST API is served on addresses of this machine only',
  },
  listenInsecure: {
    flag: '--listen-insecure',
    variable: 'HELM_AGENT_LISTEN_INSECURE',
    description: 'listen without tokens on an address that other machines can reach',
  },
} satisfies Settings<string>;

export const controlPlaneSchema = z.object({
  port: portSchema.default(8088),
  host: z.string().default('127.0.0.1'),
  agentsFile: z.string().optional(),
  apiTokenFile: z.string().optional(),
  listenInsecure: switchSchema,
});

/** Settings of `helm-agent control-plane`. */
export type ControlPlaneSettings = z.output<typeof controlPlaneSchema>;
