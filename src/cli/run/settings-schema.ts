import * as z from 'zod';
import { parseListenAddress } from '../../agent/connection/listen-address.ts';
import { messageOf } from '../../errors/index.ts';
import { defaultElectionTimes, electionTimesProblem } from '../../leader-election/index.ts';
import { lookupScopes } from '../../policy/policy-rules.ts';
import { agentIdSchema } from '../../protocol/agent-id.ts';
import { rights } from '../../protocol/commands/definition.ts';
import { storageDrivers } from '../../release/storage/drivers.ts';
import { parseDeniedAddresses } from '../../source/http/denied-addresses.ts';
import { limitsSchema } from '../limits.ts';
import { areTlsFilesComplete, incompleteTlsFiles } from '../server-tls-settings.ts';
import { durationSchema, portSchema, switchSchema } from '../settings.ts';
import type { runSettings } from './settings.ts';

/** Returns the schema of the settings of `run`. `hostName` is the default of the agent's id. */
export function runSchema(hostName: string) {
  return z
    .object({
      controlPlane: z
        .string()
        .transform((text) => text.split(',').map((url) => url.trim()))
        .pipe(z.array(z.url({ protocol: /^wss?$/, error: 'must be a ws:// or wss:// URL' })))
        .optional(),
      controlPlaneCa: z.string().optional(),
      clientCertificate: z.string().optional(),
      clientKey: z.string().optional(),
      tokenFile: z.string().optional(),
      listenTokenFile: z.string().optional(),
      enrolmentTokenFile: z.string().optional(),
      keyFile: z.string().optional(),
      keyRotation: durationSchema.optional(),
      sealingKeyRotation: durationSchema.optional(),
      insecureTransport: switchSchema,
      agentId: agentIdSchema.default(hostName),
      kubeconfig: z.string().optional(),
      listen: z
        .string()
        .transform((text, context) => {
          const address = parseListenAddress(text);
          if (!address)
            context.addIssue({ code: 'custom', message: 'must be PORT or HOST:PORT, with a port up to 65535' });
          return address ?? z.NEVER;
        })
        .optional(),
      listenInsecure: switchSchema,
      listenExec: switchSchema,
      tlsCertificate: z.string().optional(),
      tlsKey: z.string().optional(),
      healthPort: portSchema.optional(),
      memoryLimit: z
        .string()
        .regex(/^[1-9][0-9]{0,7}$/, 'must be a positive whole number of MiB')
        .transform(Number)
        .optional(),
      allowNunjucks: switchSchema,
      localCharts: z.string().optional(),
      denyAddresses: z
        .string()
        .transform((text, context) => {
          const items = text.split(',').map((item) => item.trim());
          try {
            parseDeniedAddresses(items);
          } catch (error) {
            context.addIssue({ code: 'custom', message: messageOf(error) });
          }
          return items;
        })
        .optional(),
      denyDns: switchSchema,
      plainHttp: switchSchema,
      postRenderers: z
        .string()
        .transform((text, context) => {
          const entries = text.split(',').map((item) => /^([\w.-]+)=(\/.+)$/.exec(item.trim()));
          if (entries.includes(null))
            context.addIssue({ code: 'custom', message: 'must be NAME=FILE, with the absolute path of a program' });
          return Object.fromEntries(entries.flatMap((entry) => (entry ? [[entry[1] ?? '', entry[2] ?? '']] : [])));
        })
        .optional(),
      allowOwnNamespace: switchSchema,
      allowedRights: z
        .string()
        .transform((text) => text.split(',').map((right) => right.trim()))
        .pipe(z.array(z.enum(rights, { error: `must be a list of ${rights.join(', ')}` })))
        .optional(),
      rightsFile: z.string().optional(),
      policyFile: z.string().optional(),
      lookup: z.enum(lookupScopes, { error: `must be one of ${lookupScopes.join(', ')}` }).optional(),
      resultKeyFile: z.string().optional(),
      trustReleases: z.enum(['own', 'any'], { error: 'must be own or any' }).optional(),
      storageDriver: z.enum(storageDrivers, { error: 'must be secret or configmap' }).optional(),
      journal: z.enum(['memory', 'cluster'], { error: 'must be memory or cluster' }).optional(),
      recover: z.enum(['auto', 'report'], { error: 'must be auto or report' }).optional(),
      leaderElect: switchSchema,
      leaderElectLeaseDuration: durationSchema.default(defaultElectionTimes.leaseDuration),
      leaderElectRenewDeadline: durationSchema.default(defaultElectionTimes.renewDeadline),
      leaderElectRetryPeriod: durationSchema.default(defaultElectionTimes.retryPeriod),
      limits: limitsSchema.optional(),
    })
    .refine(({ clientCertificate, clientKey }) => (clientCertificate === undefined) === (clientKey === undefined), {
      path: ['clientCertificate'],
      message: 'give both --client-certificate and --client-key, or neither',
    })
    .refine(({ controlPlane, listen }) => controlPlane !== undefined || listen !== undefined, {
      path: ['controlPlane'],
      message: 'give the URL of the control plane to connect to, or --listen to accept connections',
    })
    .refine(areTlsFilesComplete, { path: ['tlsCertificate'], message: incompleteTlsFiles })
    .refine(({ listen, tlsCertificate }) => tlsCertificate === undefined || listen !== undefined, {
      path: ['tlsCertificate'],
      message: 'needs --listen',
    })
    .refine(({ listen, listenTokenFile }) => listenTokenFile === undefined || listen !== undefined, {
      path: ['listenTokenFile'],
      message: 'needs --listen',
    })
    .refine(
      ({ controlPlane, listen, listenInsecure, tokenFile, listenTokenFile }) =>
        controlPlane === undefined ||
        listen === undefined ||
        listenInsecure ||
        tokenFile === undefined ||
        listenTokenFile !== undefined,
      {
        path: ['listenTokenFile'],
        message:
          'the control plane sees the token of --token-file, so clients of --listen need another one: name a file with it, or let them use that one with --listen-insecure',
      },
    )
    .transform((given, context) => {
      const {
        leaderElect,
        leaderElectLeaseDuration: leaseDuration,
        leaderElectRenewDeadline: renewDeadline,
        leaderElectRetryPeriod: retryPeriod,
        ...settings
      } = given;
      const election = { leaseDuration, renewDeadline, retryPeriod };
      const refuse = (name: keyof typeof runSettings, message: string) => {
        context.addIssue({ code: 'custom', path: [name], message });
      };
      if (settings.trustReleases === 'own' && settings.journal === 'memory') {
        refuse('trustReleases', 'needs --journal cluster for own');
      }
      const keyed = (['enrolmentTokenFile', 'keyFile'] as const).find((name) => settings[name] !== undefined);
      if (keyed !== undefined) {
        if (settings.controlPlane === undefined) refuse(keyed, 'needs --control-plane');
        if (settings.tokenFile !== undefined) refuse(keyed, 'leave out --token-file: the agent proves its key instead');
      }
      if (settings.listenExec) {
        if (settings.listen === undefined) refuse('listenExec', 'needs --listen');
        if (!(settings.allowedRights ?? []).includes('exec'))
          refuse('listenExec', 'needs the right exec in --allow-rights');
      }
      if (leaderElect) {
        if (settings.journal === 'memory') refuse('leaderElect', 'needs --journal cluster');
        if (settings.listen !== undefined) refuse('leaderElect', 'needs --control-plane instead of --listen');
        const problem = electionTimesProblem(election);
        if (problem !== undefined) refuse('leaderElectLeaseDuration', problem);
      }
      return { ...settings, ...(leaderElect && { election }) };
    });
}

/** Settings of `helm-agent run`. */
export type RunSettings = z.output<ReturnType<typeof runSchema>>;
