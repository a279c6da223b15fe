import { argumentCount } from '../../cobra/argument-count.ts';
import { type Command, loadedEntry } from '../../cobra/command.ts';
import type { ProgramDependencies } from '../../dependencies.ts';
import { outputFlag, outputFormat } from '../../helm/flags/output-flag.ts';
import { commaListFlag, customFlag, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import { givenSettings } from '../../settings.ts';
import { oneLine } from '../../text.ts';
import type { RoleRequest } from '../api-client.ts';
import { controlPlaneClient, serverSettings } from '../control-plane-client.ts';
import { textOf } from '../output/format.ts';
import { tokensOutput, whoamiText } from '../output/tokens.ts';

const oneArgument = argumentCount('exactly', 1);

export const tokenCommand: Command<ProgramDependencies> = {
  use: 'token',
  long: 'Manage the tokens of users of the control plane. Each has a role and ends.',
  subcommands: [
    loadedEntry('create', 'create a token, and print it', {
      use: 'create NAME',
      long: `Create a token for a user, and print it. It is stored nowhere else. Patterns can
have "*" for any text.`,
      examples: [
        'ci --role read,deploy --agent "edge-*" --namespace shop --expires 30d',
        'kim --role restart_workload --selector site=a',
      ],
      checkArguments: oneArgument,
      flags: () => [
        commaListFlag('role', 'rights, or types of commands: read,deploy, or admin for all; may be repeated'),
        commaListFlag('agent', 'patterns of the ids of agents (default: all)'),
        textFlag('selector', 'label selector of agents: site=a,tier in (x,y) (default: all)', { shorthand: 'l' }),
        commaListFlag('namespace', 'patterns of namespaces (default: all)', { shorthand: 'n' }),
        commaListFlag('release', 'patterns of the names of releases (default: all)'),
        customFlag('duration', 'expires', 'time after which the token ends: 30d or 12h', { initial: '30d' }),
      ],
      async run({ args: [name = ''], flags, context }) {
        if (flags.list('role').length === 0) throw new Error('name the rights with --role, such as --role read,deploy');
        const client = await controlPlaneClient(givenSettings(serverSettings, flags), context);
        const request = { name, roles: [roleOf(flags)], expiresIn: flags.text('expires') };
        const { token, id, expiresAt } = await client.createToken(request, new AbortController().signal);
        context.stdout.write(`${oneLine(token)}\n`);
        context.stderr.write(
          `Give this token to ${oneLine(name)} as its --token-file. It is not shown again, and ends at ${oneLine(expiresAt)}. Its id is ${oneLine(id)}.\n`,
        );
        return 0;
      },
    }),
    loadedEntry('list', 'list the tokens', {
      use: 'list',
      examples: ['', '-o json'],
      checkArguments: argumentCount('exactly', 0),
      flags: () => [outputFlag],
      async run({ flags, context }) {
        const client = await controlPlaneClient(givenSettings(serverSettings, flags), context);
        const tokens = await client.tokens(new AbortController().signal);
        context.stdout.write(textOf(outputFormat(flags), tokensOutput(tokens)));
        return 0;
      },
    }),
    loadedEntry('revoke', 'end the tokens of a user, or one of them', {
      use: 'revoke NAME|ID',
      long: `End all tokens of a user, or the one with an id. Event streams that are open end
within a second.`,
      examples: ['ci', '8c6976e5b541'],
      checkArguments: oneArgument,
      async run({ args: [nameOrId = ''], flags, context }) {
        const client = await controlPlaneClient(givenSettings(serverSettings, flags), context);
        const { signal } = new AbortController();
        const tokens = await client.tokens(signal);
        const found = tokens.filter(({ name, id }) => name === nameOrId || id === nameOrId);
        if (found.length === 0) throw new Error(`no token has the name or the id ${JSON.stringify(nameOrId)}`);
        for (const { id, name } of found) {
          await client.revokeToken(id, signal);
          context.stdout.write(`token ${oneLine(id)} of ${oneLine(name)} is revoked\n`);
        }
        return 0;
      },
    }),
  ],
};

export const whoamiCommand: Command<ProgramDependencies> = {
  use: 'whoami',
  examples: [''],
  checkArguments: argumentCount('exactly', 0),
  async run({ flags, context }) {
    const client = await controlPlaneClient(givenSettings(serverSettings, flags), context);
    context.stdout.write(whoamiText(await client.whoami(new AbortController().signal)));
    return 0;
  },
};

/** A flag that is not given is a role without that limit. */
function roleOf(flags: FlagValues): RoleRequest {
  const limit = (flag: string) => (flags.isGiven(flag) ? [...flags.list(flag)] : undefined);
  return {
    rights: [...flags.list('role')],
    ...{ agents: limit('agent'), namespaces: limit('namespace'), releases: limit('release') },
    labels: flags.isGiven('selector') ? flags.text('selector') : undefined,
  };
}
