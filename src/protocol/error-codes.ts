/** Every code that a result, or an answer of the control plane, may carry, and what it means. docs/errors.md says the same. */
export const errorCodes = {
  // the wire
  bad_packet: 'The frame is not a packet: no JSON text, or a field is missing.',
  bad_payload: 'The payload is not what the command asks for.',
  too_large: 'The packet is larger than the limit.',
  unknown_command: 'The agent has no such command.',
  key_reused: 'The key already names another command.',
  busy: 'Too many commands are waiting; try again later.',
  shutting_down: 'The agent is stopping and takes no more commands.',
  cancelled: 'The operation was ended before it was done.',
  internal: 'A defect of the agent; its log says more.',
  // the control plane
  unauthenticated: 'The token is missing or not the right one.',
  bad_request: 'The request is malformed, or the API server cannot read it.',
  agent_not_connected: 'No agent of that id is connected.',
  agent_restarted: 'Another instance of the agent took over, and does not know the command.',
  command_not_found: 'No command of that key is known; it may be long ago.',
  unknown_route: 'The control plane has no such path.',
  insecure_listen: 'A server that others can reach needs a token, or the explicit wish to go without.',
} as const;

export type ErrorCode = keyof typeof errorCodes;
