import * as z from 'zod';
import { portSchema, type Settings } from '../settings.ts';

export const sandboxSettings = {
  port: {
    flag: 'port',
    value: 'port',
    variable: 'HELM_AGENT_SANDBOX_PORT',
    description: 'port of the Kubernetes API; 0 for any free port',
    default: '7443',
  },
  host: {
    flag: 'host',
    value: 'host',
    variable: 'HELM_AGENT_SANDBOX_HOST',
    description: 'address to listen on',
    default: '127.0.0.1',
  },
  kubeconfig: {
    flag: 'kubeconfig',
    value: 'file',
    variable: 'HELM_AGENT_SANDBOX_KUBECONFIG',
    description: 'kubeconfig to write; it is removed when the sandbox ends',
    default: 'sandbox.kubeconfig',
  },
} satisfies Settings<string>;

export const sandboxSchema = z.object({
  port: portSchema.default(7443),
  host: z.string().default('127.0.0.1'),
  kubeconfig: z.string().default('sandbox.kubeconfig'),
});

/** Settings of `helm-agent sandbox`. */
export type SandboxSettings = z.output<typeof sandboxSchema>;
