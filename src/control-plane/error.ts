import type { ErrorCode } from '../protocol/error-codes.ts';

export type ControlPlaneErrorCode = Extract<
  ErrorCode,
  | 'agent_not_connected'
  | 'agent_not_found'
  | 'agent_connected'
  | 'unknown_command'
  | 'unknown_route'
  | 'method_not_allowed'
  | 'command_not_found'
  | 'bad_request'
  | 'key_reused'
  | 'too_large'
  | 'timeout'
  | 'unauthenticated'
  | 'forbidden'
  | 'token_not_found'
  | 'session_not_found'
  | 'provider_unavailable'
  | 'webhook_not_found'
  | 'token_unreadable'
  | 'busy'
  | 'store_unavailable'
  | 'chart_not_found'
  | 'digest_mismatch'
  | 'unsupported'
  | 'rollout_not_found'
  | 'rollout_conflict'
  | 'stream_taken'
  | 'stream_ended'
  | 'cancelled'
  | 'recording_failed'
>;

/** A request that the control plane refuses. */
export class ControlPlaneError extends Error {
  override readonly name = 'ControlPlaneError';
  readonly code: ControlPlaneErrorCode;

  constructor(code: ControlPlaneErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
