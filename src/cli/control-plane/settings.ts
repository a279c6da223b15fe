import { isIPv6 } from 'node:net';
import * as z from 'zod';
import { maxRetryAfter } from '../../protocol/messages.ts';
import { agentsFileSetting } from '../agents/setting.ts';
import { areTlsFilesComplete, incompleteTlsFiles, serverTlsSettings } from '../server-tls-settings.ts';
import { durationSchema, portSchema, type Settings, switchSchema } from '../settings.ts';

export const controlPlaneSettings = {
  port: {
    flag: 'port',
    value: 'port',
    variable: 'HELM_AGENT_PORT',
    description: 'port for agents and for the REST API',
    default: '8088',
  },
  host: {
    flag: 'host',
    value: 'host',
    variable: 'HELM_AGENT_HOST',
    description: 'address to listen on',
    default: '127.0.0.1',
  },
  agentsFile: agentsFileSetting,
  apiTokenFile: {
    flag: 'api-token-file',
    value: 'file',
    variable: 'HELM_AGENT_API_TOKEN_FILE',
    description: 'file with the token that users of the REST API must send',
    default: 'none; the REST API is served on addresses of this machine only',
  },
  signInFile: {
    flag: 'sign-in-file',
    value: 'file',
    variable: 'HELM_AGENT_SIGN_IN_FILE',
    description: 'file in YAML with the OpenID provider at which people sign in, and the roles of their groups',
    default: 'none; users have tokens',
  },
  data: {
    flag: 'data',
    value: 'file',
    variable: 'HELM_AGENT_DATA',
    description: 'file that keeps commands and results through a restart; memory keeps them in memory only',
    default: '~/.local/state/helm-agent/control-plane.db',
  },
  recordSessions: {
    flag: 'record-sessions',
    value: 'rule',
    variable: 'HELM_AGENT_RECORD_SESSIONS',
    description:
      'record the sessions of ctl exec beside --data: off, terminals or all; a session that cannot be recorded is refused',
    default: 'off',
  },
  requireSecond: {
    flag: 'require-second',
    value: 'rule',
    variable: 'HELM_AGENT_REQUIRE_SECOND',
    description: 'begin sessions of ctl exec only when a second person watches: off, terminals or all',
    default: 'off',
  },
  databaseUrlFile: {
    flag: 'database-url-file',
    value: 'file',
    variable: 'HELM_AGENT_DATABASE_URL_FILE',
    description: 'file with the URL of a PostgreSQL database that keeps commands and results instead of --data',
    default: 'none',
  },
  replicaAddress: {
    flag: 'replica-address',
    value: 'host:port',
    variable: 'HELM_AGENT_REPLICA_ADDRESS',
    description:
      'where other replicas with the same database reach this one, on a port of its own; all of them then serve agents and users, through the one that leads',
    default: 'none; replicas that do not lead serve no one',
  },
  keepCommands: {
    flag: 'keep-commands',
    value: 'number',
    variable: 'HELM_AGENT_KEEP_COMMANDS',
    description: 'number of commands that are kept after they have ended; each takes 2 KiB of memory',
    default: '10000, or 500 with --data memory',
  },
  keepMib: {
    flag: 'keep-mib',
    value: 'number',
    variable: 'HELM_AGENT_KEEP_MIB',
    description: 'MiB of events and results of commands that are kept after they have ended',
    default: '512, or 32 with --data memory',
  },
  keepFor: {
    flag: 'keep-for',
    value: 'duration',
    variable: 'HELM_AGENT_KEEP_FOR',
    description: 'time for which commands are kept after they have ended',
    default: '168h, or no limit with --data memory',
  },
  encryptionKeyFile: {
    flag: 'encryption-key-file',
    value: 'file',
    variable: 'HELM_AGENT_ENCRYPTION_KEY_FILE',
    description:
      'file with keys that encrypt the payloads and results in --data or the database, the current key first',
    default: 'none; they are not encrypted',
  },
  retryAfter: {
    flag: 'retry-after',
    value: 'duration',
    variable: 'HELM_AGENT_RETRY_AFTER',
    description: 'time after which agents connect again when the control plane stops, or up to twice as long',
    default: '1s',
  },
  heartbeat: {
    flag: 'heartbeat',
    value: 'duration',
    variable: 'HELM_AGENT_HEARTBEAT',
    description: 'time between two pings to an agent, from 1s to 2m; agents that are silent for twice as long are gone',
    default: '30s',
  },
  maxConnections: {
    flag: 'max-connections',
    value: 'number',
    variable: 'HELM_AGENT_MAX_CONNECTIONS',
    description:
      'number of connections, of agents and of users; half of them are kept for those with a valid token or key',
    default: '20000',
  },
  ...serverTlsSettings,
  healthPort: {
    flag: 'health-port',
    value: 'port',
    variable: 'HELM_AGENT_HEALTH_PORT',
    description: 'serve only /livez, /readyz and /metrics on this port, on all addresses, without a token',
    default: 'none',
  },
  webhookAllowHosts: {
    flag: 'webhook-allow-hosts',
    value: 'list',
    variable: 'HELM_AGENT_WEBHOOK_ALLOW_HOSTS',
    description: 'hosts to which webhooks may be sent without https, and also to private addresses',
    default: 'none; receivers need https and public addresses',
  },
  listenInsecure: {
    flag: 'listen-insecure',
    variable: 'HELM_AGENT_LISTEN_INSECURE',
    description: 'listen without tokens on an address that other machines can reach',
  },
} satisfies Settings<string>;

const sessionRuleSchema = z
  .enum(['off', 'terminals', 'all'], { error: 'must be off, terminals or all' })
  .default('off');

const addressError = 'must be HOST:PORT, with a port from 1 to 65535';

/** `HOST:PORT`, as a host without brackets and a port. */
const addressSchema = z.string().transform((text, context) => {
  const [, inBrackets, plain, port] = /^(?:\[([\da-fA-F:]{2,45})\]|([\w.:-]{1,253})):(\d{1,5})$/.exec(text) ?? [];
  const host = inBrackets ?? plain;
  const isHost = host !== undefined && (!host.includes(':') || isIPv6(host));
  if (isHost && Number(port) >= 1 && Number(port) <= 65_535) return { host, port: Number(port) };
  context.addIssue({ code: 'custom', message: addressError });
  return z.NEVER;
});

/** A whole number in a range. */
function numberSchema(from: number, to: number) {
  const error = `must be a number from ${from} to ${to}`;
  return z.coerce.number({ error }).int(error).min(from, error).max(to, error);
}

export const controlPlaneSchema = z
  .object({
    port: portSchema.default(8088),
    host: z.string().default('127.0.0.1'),
    agentsFile: z.string().optional(),
    apiTokenFile: z.string().optional(),
    signInFile: z.string().optional(),
    data: z.string().optional(),
    recordSessions: sessionRuleSchema,
    requireSecond: sessionRuleSchema,
    databaseUrlFile: z.string().optional(),
    replicaAddress: addressSchema.optional(),
    keepCommands: numberSchema(1, 100_000).optional(),
    keepMib: numberSchema(1, 1_000_000).optional(),
    keepFor: durationSchema.optional(),
    encryptionKeyFile: z.string().optional(),
    retryAfter: durationSchema
      .refine((milliseconds) => milliseconds <= maxRetryAfter * 1000, 'must be at most 1h')
      .default(1000),
    heartbeat: durationSchema
      .refine((milliseconds) => milliseconds >= 1000 && milliseconds <= 120_000, 'must be from 1s to 2m')
      .default(30_000),
    maxConnections: numberSchema(16, 1_000_000).default(20_000),
    tlsCertificate: z.string().optional(),
    tlsKey: z.string().optional(),
    healthPort: portSchema.optional(),
    webhookAllowHosts: z
      .string()
      .transform((list) => list.split(',').map((host) => host.trim().toLowerCase()))
      .pipe(z.array(z.string().min(1)))
      .optional(),
    listenInsecure: switchSchema,
  })
  .refine(({ data, databaseUrlFile }) => data === undefined || databaseUrlFile === undefined, {
    path: ['databaseUrlFile'],
    message: 'cannot be used together with --data; name one of them',
  })
  .refine(({ replicaAddress, databaseUrlFile }) => replicaAddress === undefined || databaseUrlFile !== undefined, {
    path: ['replicaAddress'],
    message: 'replicas share a database; name it with --database-url-file',
  })
  .refine(areTlsFilesComplete, { path: ['tlsCertificate'], message: incompleteTlsFiles })
  .refine(
    ({ recordSessions, data, databaseUrlFile }) => recordSessions === 'off' || (data !== 'memory' && !databaseUrlFile),
    {
      path: ['recordSessions'],
      message: 'recordings need a folder; name a file with --data',
    },
  );

/** Settings of `helm-agent control-plane`. */
export type ControlPlaneSettings = z.output<typeof controlPlaneSchema>;
