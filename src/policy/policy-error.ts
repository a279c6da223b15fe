/** A command that the policy of the cluster's owner refuses, or a policy that cannot be read. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly code: 'denied_by_policy' | 'policy_invalid';
  /** The message without what a chart or a command says, which may be a secret: for the log. */
  readonly reason: string;

  constructor(
    code: PolicyError['code'],
    message: string,
    { reason = message, cause }: { reason?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.reason = reason;
  }
}

/** Returns the error for what a field of a rule does not allow. */
export function refused({ name }: { name: string }, field: string, what: string): PolicyError {
  const reason = `rule ${name} of the policy does not allow it: ${field}`;
  return new PolicyError('denied_by_policy', `${reason}: ${what}`, { reason });
}

/** Returns the error for a command that the policy refuses. */
export function denied(message: string): PolicyError {
  return new PolicyError('denied_by_policy', message);
}
