import { commandTable } from '../protocol/commands/index.ts';
import type { CommandMethods } from './command-methods.ts';
import type { ControlPlaneServer } from './control-plane.ts';
import { controlPlaneFor } from './control-plane-for.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';

export type { AttachOptions, ControlPlaneEvents, ControlPlaneOptions } from './control-plane-options.ts';
export { openAgentsFile, type AgentsFile, type AgentsFileOptions } from './agents-file.ts';
export type { AgentIdentity, Authenticate } from './identity.ts';
export type { Authorize } from './access/guard.ts';
export { type Action, type AgentSubject, isAllowed } from './access/is-allowed.ts';
export type { Principal, Role } from './access/role.ts';
export type { TokenOptions } from './access/token-options.ts';
export type { CreatedToken, UserToken, UserTokens } from './access/user-tokens.ts';
export type { CommandMethods, MethodParameters, SendOptions, SendRequest } from './command-methods.ts';
export type { ConnectedAgent } from './connected-agent.ts';
export type { AwayAgent, KnownAgent } from './known-agent.ts';
export type { CommandEvent } from './command-event.ts';
export { EncryptionKeysError, type KeyEncryption, openEncryptionKeys } from './encryption/key-encryption.ts';
export type { EnrolmentState } from './enrolment/agent-keys.ts';
export type { CreatedEnrolment, EnrolmentOptions } from './enrolment/enrolment-options.ts';
export { ControlPlaneError } from './error.ts';
export { openSignInFile, type SignInFile, type SignInFileOptions } from './sign-in/sign-in-file.ts';
export type { SignInSettings } from './sign-in/sign-in-settings.ts';
export type { CreatedSession, SessionKind, UserSession, UserSessions } from './sign-in/user-sessions.ts';
export type { ControlPlaneLimits } from './limits.ts';
export type { CommandOutcome } from './result-feed.ts';
export type { RolloutOptions } from './rollouts/rollout-spec.ts';
export type { ClusterView, RolloutView } from './rollouts/rollout-view.ts';
export type { RolloutEvent, Rollouts } from './rollouts/rollouts.ts';
export type { CommandState, SentCommand } from './sent-command.ts';
export type {
  AgentSighting,
  CommandEnd,
  CommandRecord,
  CommandStore,
  EventRecord,
  StoreBatch,
  StoreContents,
  StoredEntry,
} from './store/command-store.ts';
export type { SessionRule } from './sessions/sessions.ts';
export { openServerTls, type ServerTls, type ServerTlsFiles, type ServerTlsOptions } from '../net/server-tls.ts';
export { createMemoryStore } from './store/memory-store.ts';
export { createPostgresStore, type PostgresStoreOptions } from './store/postgres-store.ts';
export type { Retention, RetentionOptions } from './store/retention.ts';
export { createSqliteStore } from './store/sqlite-store.ts';
export type { Token } from './token.ts';
export { type PublicSealingKey, readSealingKey } from '../sealing/public-sealing-key.ts';
export { seal, type SealedPlace } from '../sealing/sealed-text.ts';
export { SealingError } from '../sealing/sealing-error.ts';
export { type ApprovedPlan, signApproval } from '../signatures/approval-statement.ts';
export { type CommandPacket, signCommand } from '../signatures/command-statement.ts';
export type { SignOptions } from '../signatures/statement.ts';
export { type PublicKey, readPublicKey } from '../signatures/public-key.ts';
export { type ResultFacts, verifyResult } from '../signatures/result-statement.ts';
export { SignatureError } from '../signatures/signature-error.ts';
export { type LocalSigner, pemSigner, type Signer } from '../signatures/signer.ts';
export type { CommandResult, Failure, Position, Status } from '../protocol/messages.ts';
export type { Sealed } from '../protocol/sealed.ts';
export type { Evidence } from '../protocol/evidence.ts';
export type { Log } from '../protocol/log.ts';
export type { CommandAnswers, CommandParameters, CommandType } from '../protocol/commands/index.ts';
export type { Release } from '../protocol/release.ts';

export type ControlPlane = ControlPlaneServer & CommandMethods;

/**
 * A control plane for agents, in this process:
 *
 *     const { authenticate } = await openAgentsFile('agents'); // written by helm-agent agents add
 *     const plane = new ControlPlane({ authenticate });
 *     await plane.listen(8088);
 *     await plane.waitForAgent('edge-1');
 *     const command = plane.install('edge-1', { releaseName: 'web', chartName: 'nginx', repoUrl: 'https://charts.example' });
 *     for await (const event of command) console.log(event);
 *     const result = await command.result;
 *     if (result.ok) console.log(result.release.info.status);
 *
 * It has a method for each command of docs/protocol.md.
 */
export const ControlPlane: new (options?: ControlPlaneOptions) => ControlPlane = controlPlaneFor(commandTable);
