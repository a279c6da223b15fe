/** Status codes with which a control plane closes the WebSocket of an agent. */
export const closeCodes = {
  /** The agent breaks the protocol: it sends no `hello`, or too many bad packets. */
  protocolViolation: 4400,
  /** The agent's credential was revoked. */
  revoked: 4401,
  /** The agent has no key that is enrolled, or cannot prove it; or its token is not valid. */
  notEnrolled: 4402,
  /** The `hello` has another agent id than the credential. */
  wrongAgent: 4403,
  /** Another connection has the agent's id. */
  replaced: 4409,
  /** Another cluster has enrolled the agent's key. */
  copied: 4410,
} as const;
