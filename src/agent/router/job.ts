import type { UnfinishedCommand } from '../../journal/index.ts';
import type { ServiceAccount } from '../../objects/service-account.ts';
import type { WireForm } from '../../protocol/subprotocol.ts';
import type { RunningCommand } from './running-command.ts';

/** A command that was admitted. */
export interface Job {
  running: RunningCommand;
  /** The key in the journal. */
  key: string;
  /** Whether its sender has no key to ask for the result again. */
  isAnonymous: boolean;
  form: WireForm;
  /** Called once the command is journaled. */
  onAccepted?: () => void;
  /** Set if another process has accepted the command. */
  left?: Pick<UnfinishedCommand, 'state' | 'isSuspect' | 'account'> & { isAlone: boolean };
  /** The service account that performs it. Undefined until it is found, and for the agent. */
  account?: ServiceAccount | undefined;
}
