import * as z from 'zod';
import { isInsecureTransport, isLocalUrl } from '../../../net/local-host.ts';
import { checkNamespace } from '../../../operation/steps/names.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { ProgramDependencies } from '../../dependencies.ts';
import { insecureTransportSetting, requireSecureTransport } from '../../insecure-transport.ts';
import { customFlag, pairsFlag, switchFlag, textFlag } from '../../pflag/flag.ts';
import { runSettings } from '../../run/settings.ts';
import { givenSettings, readSettings, settingError, switchSchema } from '../../settings.ts';
import { oneLine } from '../../text.ts';
import { requireDuration } from '../duration-flag.ts';
import { sessionFlags } from '../send-flags.ts';
import { createSession } from '../session.ts';
import { agentManifest, imageValues, installCommand } from './agent-installation.ts';
import { waitForAgent } from './wait-for-agent.ts';

const transportSchema = z.object({ insecureTransport: switchSchema });

const oneAgent = argumentCount('exactly', 1);

export const enrolCommand: Command<ProgramDependencies> = {
  use: 'enrol AGENT',
  long: `Invite an agent: print the command that installs it with a one-time token, and
wait until it is healthy. The agent makes a key of its own, which replaces the
one that it has. Ctrl-C stops waiting; the token stays valid.`,
  examples: ['edge-1 --control-plane wss://deploy.example', 'edge-1 --manifest | kubectl apply -f -'],
  checkArguments: oneAgent,
  exclusiveFlags: [['manifest', 'no-wait']],
  flags: () => [
    textFlag('control-plane', 'ws:// or wss:// `URL` of the control plane for the agent (default: that of --server)'),
    pairsFlag('label', 'labels of the agent: KEY=VALUE, separated by commas; may be repeated'),
    customFlag('duration', 'expires-in', 'time after which the token ends, at most 168h', { initial: '1h' }),
    switchFlag('needs-consent', 'let the agent wait, after it has enrolled, until ctl accept-agent'),
    textFlag('chart', 'chart of the agent', { initial: 'deploy/helm-agent' }),
    textFlag('image', 'image of the agent, such as registry.example/helm-agent:1.2 (default: that of the chart)'),
    textFlag('namespace', 'namespace for the agent', { initial: 'helm-agent', shorthand: 'n' }),
    switchFlag('manifest', 'print a manifest for kubectl apply -f - instead of a command'),
    switchFlag('no-wait', 'do not wait until the agent is healthy'),
  ],
  async run({ args: [agentId = ''], flags, context }) {
    const client = await createSession(context).client(sessionFlags(flags));
    const expiresIn = flags.text('expires-in');
    requireDuration('--expires-in', '', expiresIn);
    const url = flags.text('control-plane') || client.server.replace(/^http/, 'ws');
    const transport = { insecureTransport: insecureTransportSetting };
    const { insecureTransport } = readSettings(
      transportSchema,
      transport,
      givenSettings(transport, flags),
      context.env,
    );
    const urls = url.split(',').map((one) => one.trim());
    for (const one of urls) {
      if (!/^wss?:/.test(one) || !URL.canParse(one)) {
        throw settingError(runSettings.controlPlane, `must be a ws:// or wss:// URL, not ${JSON.stringify(one)}`);
      }
      requireSecureTransport(runSettings.controlPlane, { url: one, insecureTransport });
    }
    const namespace = flags.text('namespace');
    checkNamespace(namespace);
    const image = flags.text('image');
    const installation = {
      ...{ agentId, url, isInsecure: urls.some((one) => isInsecureTransport(one)) },
      image: image === '' ? {} : imageValues(image),
      chart: flags.text('chart'),
      namespace,
    };
    const created = await client.enrol(
      agentId,
      { expiresIn, needsConsent: flags.isOn('needs-consent'), labels: Object.fromEntries(flags.pairs('label')) },
      new AbortController().signal,
    );
    const { stdout, stderr } = context;
    if (!flags.isGiven('control-plane') && urls.every(isLocalUrl)) {
      stderr.write(
        `warning: pods do not reach ${oneLine(url)}, which is of this machine; --control-plane names a URL that they reach\n`,
      );
    }
    if (created.replacesKey) stderr.write(`${oneLine(agentId)} has a key; it ends when the token is used.\n`);
    if (flags.isOn('manifest')) {
      stdout.write(await agentManifest({ ...installation, token: created.token }, context));
      stdout.end();
    } else stdout.write(`${installCommand({ ...installation, ...created })}\n`);
    if (flags.isOn('no-wait')) return 0;
    return await waitForAgent(agentId, { client, expiresAt: created.expiresAt, ...context });
  },
};

export const acceptAgentCommand: Command<ProgramDependencies> = {
  use: 'accept-agent AGENT',
  long: 'Let an agent in that has enrolled and waits, because its token needs consent.',
  examples: ['edge-1'],
  checkArguments: oneAgent,
  async run({ args: [agentId = ''], flags, context }) {
    const client = await createSession(context).client(sessionFlags(flags));
    await client.acceptAgent(agentId, new AbortController().signal);
    context.stdout.write(`agent ${oneLine(agentId)} is accepted\n`);
    return 0;
  },
};

export const revokeAgentCommand: Command<ProgramDependencies> = {
  use: 'revoke-agent AGENT',
  long: `End the key of an agent and its enrolment token, and close its connections. To
let it in again, enrol it again.`,
  examples: ['edge-1'],
  checkArguments: oneAgent,
  async run({ args: [agentId = ''], flags, context }) {
    const client = await createSession(context).client(sessionFlags(flags));
    await client.revokeAgent(agentId, new AbortController().signal);
    context.stdout.write(`agent ${oneLine(agentId)} is revoked\n`);
    return 0;
  },
};
