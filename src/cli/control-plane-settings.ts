import { z } from 'zod';
import { switchSchema, type Settings } from './settings.ts';

export const controlPlaneSettings = {
  port: {
    flag: '--port <port>',
    variable: 'HELM_AGENT_PORT',
    description: 'the port for agents and for the REST API; 8088 where absent',
  },
  host: {
    flag: '--host <host>',
    variable: 'HELM_AGENT_HOST',
    description: 'the address to bind; 127.0.0.1 where absent',
  },
  tokenFile: {
    flag: '--token-file <file>',
    variable: 'HELM_AGENT_TOKEN_FILE',
    description: 'a file with the token that agents must bear',
  },
  apiTokenFile: {
    flag: '--api-token-file <file>',
    variable: 'HELM_AGENT_API_TOKEN_FILE',
    description: 'a file with the token that users of the REST API must bear; by default that of the agents',
  },
  listenInsecure: {
    flag: '--listen-insecure',
    variable: 'HELM_AGENT_LISTEN_INSECURE',
    description: 'allow a host that others can reach without a token',
  },
} satisfies Settings<string>;

export const controlPlaneSchema = z.object({
  port: z.coerce
    .number({ error: 'must be a port' })
    .int('must be a port')
    .min(0, 'must be a port')
    .max(65_535, 'must be a port')
    .default(8088),
  host: z.string().default('127.0.0.1'),
  tokenFile: z.string().optional(),
  apiTokenFile: z.string().optional(),
  listenInsecure: switchSchema,
});

/** What `helm-agent control-plane` was told. */
export type ControlPlaneSettings = z.output<typeof controlPlaneSchema>;
