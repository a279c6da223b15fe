import { setTimeout as sleep } from 'node:timers/promises';
import { valueOfPlain } from '../../../release/plain-value.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { ProgramDependencies } from '../../dependencies.ts';
import { outputFlag, outputFormat } from '../../helm/flags/output-flag.ts';
import { givenSettings } from '../../settings.ts';
import { table } from '../../table.ts';
import { oneLine } from '../../text.ts';
import { ApiError } from '../api-request.ts';
import { clientOptions, serverSettings } from '../control-plane-client.ts';
import { textOf } from '../output/format.ts';
import { keepToken } from './kept-tokens.ts';
import { createSignInClient, type DeviceCode, type SignInClient, type SignInOutcome } from './sign-in-client.ts';

/** Seconds by which the pause between two requests grows if they are too many (RFC 8628). */
const slowDownSeconds = 5;

export const loginCommand: Command<ProgramDependencies> = {
  use: 'login',
  long: `Sign in at the control plane with the account of your company: open a page in a
browser of any machine, and enter a code. Commands of this user then need no
--token-file, until the session ends.`,
  examples: ['', '--server https://helm-agent.example.com'],
  checkArguments: argumentCount('exactly', 0),
  async run({ flags, context }) {
    const { stdout, stderr } = context;
    const options = await clientOptions(givenSettings(serverSettings, flags), context);
    const client = createSignInClient({ ...options, token: undefined });
    const interrupted = new AbortController();
    const endListening = context.onInterrupt(() => interrupted.abort(new Error('interrupted; you are not signed in')));
    try {
      const device = await client.begin(interrupted.signal);
      const { verificationUri, verificationUriComplete, userCode } = device;
      stderr.write(`Open ${oneLine(verificationUri)} and enter the code ${oneLine(userCode)}\n`);
      if (verificationUriComplete !== undefined) stderr.write(`or open ${oneLine(verificationUriComplete)}\n`);
      stderr.write('Waiting until you have signed in...\n');
      const { token, name, expiresAt } = await signedIn(client, device, interrupted.signal);
      const path = await keepToken(options.server, { token, expiresAt }, context);
      stdout.write(`You are signed in as ${oneLine(name)} until ${oneLine(expiresAt)}.\n`);
      stderr.write(`The token is in ${path}; ctl logout ends it.\n`);
      return 0;
    } finally {
      endListening();
    }
  },
};

export const logoutCommand: Command<ProgramDependencies> = {
  use: 'logout',
  long: 'End the session of ctl login, and forget its token.',
  examples: [''],
  checkArguments: argumentCount('exactly', 0),
  async run({ flags, context }) {
    const options = await clientOptions(givenSettings(serverSettings, flags), context);
    const { signal } = new AbortController();
    // a session that has ended already is forgotten, too
    const ended = await createSignInClient(options)
      .signOut(signal)
      .catch((error: unknown) => error);
    await keepToken(options.server, undefined, context);
    if (ended instanceof Error && !(ended instanceof ApiError && ended.status === 401)) throw ended;
    context.stdout.write(`You are signed out of ${options.server}.\n`);
    return 0;
  },
};

export const sessionCommand: Command<ProgramDependencies> = {
  use: 'session',
  long: 'List and end sessions: your own, and as an administrator those of all people.',
  subcommands: [
    {
      name: 'list',
      short: 'list the sessions',
      load: () => Promise.resolve(listCommand),
    },
    {
      name: 'revoke',
      short: 'end the sessions of a person, or one of them',
      load: () => Promise.resolve(revokeCommand),
    },
  ],
};

const listCommand: Command<ProgramDependencies> = {
  use: 'list',
  examples: ['', '-o json'],
  checkArguments: argumentCount('exactly', 0),
  flags: () => [outputFlag],
  async run({ flags, context }) {
    const client = createSignInClient(await clientOptions(givenSettings(serverSettings, flags), context));
    const sessions = await client.sessions(new AbortController().signal);
    const output = {
      table() {
        const rows = sessions.map(({ id, name, kind, createdAt, seenAt, expiresAt }) =>
          [id, name, kind, createdAt, seenAt, expiresAt].map(oneLine),
        );
        return `${table([['ID', 'NAME', 'KIND', 'SINCE', 'LAST USED', 'EXPIRES AT'], ...rows]).join('\n')}\n`;
      },
      data: () => sessions.map(valueOfPlain),
    };
    context.stdout.write(textOf(outputFormat(flags), output));
    return 0;
  },
};

const revokeCommand: Command<ProgramDependencies> = {
  use: 'revoke NAME|ID',
  long: `End all sessions of a person, or the one with an id. Event streams that are open
end within a second. The person can sign in again, unless the provider refuses
it, or their groups have no role any more.`,
  examples: ['kim@example.com', '8c6976e5b541'],
  checkArguments: argumentCount('exactly', 1),
  async run({ args: [nameOrId = ''], flags, context }) {
    const client = createSignInClient(await clientOptions(givenSettings(serverSettings, flags), context));
    const { signal } = new AbortController();
    const sessions = await client.sessions(signal);
    const found = sessions.filter(({ name, id }) => name === nameOrId || id === nameOrId);
    if (found.length === 0) throw new Error(`no session has the name or the id ${JSON.stringify(nameOrId)}`);
    for (const { id, name } of found) {
      await client.revokeSession(id, signal);
      context.stdout.write(`session ${oneLine(id)} of ${oneLine(name)} has ended\n`);
    }
    return 0;
  },
};

type SignedIn = Extract<SignInOutcome, { state: 'done' }>;

/** Waits until a person has signed in with another device. */
async function signedIn(client: SignInClient, device: DeviceCode, signal: AbortSignal): Promise<SignedIn> {
  const deadline = performance.now() + device.expiresIn * 1000;
  let pause = device.interval;
  while (performance.now() < deadline) {
    await sleep(pause * 1000, undefined, { signal }).catch(() => signal.throwIfAborted());
    const outcome = await client.outcome(device.deviceCode, signal).catch((error: unknown) => {
      if (error instanceof ApiError && error.isTemporary) return undefined;
      throw error;
    });
    if (outcome?.state === 'done') return outcome;
    if (outcome?.slowDown === true) pause += slowDownSeconds;
  }
  throw new Error('the code has expired; run ctl login again');
}
