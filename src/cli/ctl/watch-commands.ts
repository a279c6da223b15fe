import { Option, type Command } from 'commander';
import { cancelModes, type CancelCommandMode } from '../../protocol/commands/cancel-command.ts';
import { oneLine } from '../text.ts';
import type { CtlSession, Flags } from './session.ts';
import { addSubcommand, agentOption, deliverWithinOption } from './subcommand.ts';

/** Adds `ctl watch`, which is also `ctl follow`. */
export function addFollow(ctl: Command, session: CtlSession): void {
  const key = '2f1c6f0e-6a51-4b1c-9a57-0d9f0f0a3f5e';
  addSubcommand(ctl, 'watch', 'Follow a command that has been sent', [`watch ${key}`, `watch ${key} -o json`])
    .alias('follow')
    .addOption(new Option('-o, --output <format>', 'json: print each event as a line of JSON').choices(['json']))
    .argument('<key>', 'key of the command')
    .action((key: string, flags: Flags) => session.follow(flags, key));
}

/** Adds `ctl cancel`. */
export function addCancel(ctl: Command, session: CtlSession): void {
  const examples = ['cancel 2f1c6f0e-6a51-4b1c-9a57-0d9f0f0a3f5e --agent edge-1'];
  addSubcommand(ctl, 'cancel', 'Cancel a command that runs or waits', examples)
    .argument('<key>', 'key of the command')
    .addOption(agentOption())
    .addOption(deliverWithinOption())
    .addOption(
      new Option(
        '--mode <mode>',
        'what becomes of its changes: leave and superseded leave them in a failed revision, park in a pending one',
      )
        .choices(cancelModes)
        .default('undo'),
    )
    .action(async (key: string, flags: Flags & { mode: CancelCommandMode }) => {
      const notRunning = { code: 'command_not_found', message: 'no command with this key runs or waits' };
      await session.perform(
        flags,
        'cancel_command',
        { key, ...(flags.mode !== 'undo' && { mode: flags.mode }) },
        {
          quiet: true,
          text: ({ cancelled }) => (cancelled ? `command ${oneLine(key)} is being cancelled\n` : ''),
          failure: ({ cancelled }) => (cancelled ? undefined : notRunning),
        },
      );
    });
}
