/**
 * All codes of errors in results and in the REST API, with their meaning. `npm run protocol` writes
 * docs/errors.md.
 */
export const errorCodes = {
  // the wire
  bad_packet: 'The frame is not a packet: it is not JSON text, or a field is missing.',
  bad_payload: 'The payload does not fit the command.',
  too_large: 'A packet, a chart or a download is larger than the limit.',
  unknown_command: 'The agent does not know the command.',
  key_reused: 'The key already names another command.',
  busy: 'Too many commands are running; try again later.',
  shutting_down: 'The agent is shutting down and accepts no more commands.',
  cancelled: 'The operation was cancelled before it was done.',
  timeout: 'The operation took longer than its time limit.',
  journal_unavailable: 'The agent could not store the command, and has not started it.',
  lease_lost: 'Another process of the agent may have become the leader.',
  journal_lost: 'Another process of the agent has taken the command over.',
  continued_too_often: 'Several processes of the agent have ended while they ran or received the command.',
  internal: 'A defect of the agent; see its log.',
  // streams of commands
  stream_taken: 'The stream of the command is read, or was read, by another caller.',
  stream_ended: 'The command has ended before it opened its stream; see its result.',
  stream_lost: 'The stream to the sender of the command has ended before the command.',
  // the chart's source
  repository_unauthorized: 'The repository requires credentials, or rejects them.',
  repository_not_found: 'The repository has no index, or does not have the file that its index names.',
  repository_failed: 'The repository cannot be reached, or responds with an error.',
  repository_timeout: 'The repository did not respond in time.',
  repository_invalid: "The repository's index cannot be read.",
  invalid_repository_url: 'The URL of the repository or chart is not valid.',
  invalid_version: 'The version is neither a version nor a range.',
  chart_not_found: 'The chart was not found in its repository or folder, or was not uploaded.',
  version_not_found: 'No version of the chart satisfies the requested range.',
  digest_mismatch: 'The digest of the archive differs from the one in the index, or in the command.',
  local_charts_disabled: 'The chart is a path, and the agent does not allow local charts.',
  path_forbidden: 'The path leads out of the folder for local charts.',
  address_denied: 'The agent must not connect to the address of the repository, see --deny-addresses.',
  unsupported: 'The chart source is not supported, or not by this version.',
  // the chart and its values
  chart_invalid: 'The chart is not valid.',
  chart_incompatible: 'The chart does not support the version of the cluster.',
  values_invalid: 'The values are not a YAML mapping, or the chart does not accept them.',
  yaml_invalid: 'YAML text cannot be read.',
  kube_version_invalid: 'The version of the cluster cannot be read.',
  // rendering
  template_parse_failed: 'A template has a syntax error.',
  template_exec_failed: 'A template failed during execution.',
  render_failed: 'The chart cannot be rendered.',
  engine_unknown: 'The chart names a template engine that does not exist.',
  engine_forbidden: 'The chart uses a template engine that the agent is not allowed to run.',
  post_render_failed: 'The post-renderer failed, or its input or output cannot be processed.',
  render_limit: 'Rendering exceeded a limit; a template may never end.',
  // releases
  invalid_release_name: 'Kubernetes does not allow the name of the release.',
  invalid_namespace: 'Kubernetes does not allow the name of the namespace.',
  namespace_not_found: 'The namespace does not exist.',
  release_exists: 'The name of the release is in use, or the revision already exists.',
  release_not_found: 'The release or its revision does not exist.',
  release_corrupt: 'A stored release cannot be read, or is not that of the object that has it.',
  release_too_large: 'The release is larger than what a Secret can hold.',
  release_conflict: 'Another client changed the stored release in the meantime.',
  no_deployed_release: 'No revision of the release is deployed.',
  pending_operation: 'Another operation on the release is in progress.',
  release_not_trusted: 'The agent has not written the stored revision, and may only use its own.',
  agent_not_upgradable: 'The agent cannot upgrade itself as it is installed, or not to this chart.',
  agent_upgrade_failed: 'The new version of the agent has not proved itself, so the one before is back.',
  plan_not_found: 'The plan does not exist, has expired, or was performed.',
  plan_stale: 'The release or its objects have changed since the plan was made.',
  deployment_not_found: 'The Deployment does not exist.',
  invalid_manifest: 'The rendered manifest has a document that is not a Kubernetes object.',
  ownership_conflict: 'An object already exists and does not belong to the release.',
  apply_failed: 'Objects could not be applied.',
  delete_failed: 'Objects could not be deleted.',
  hook_failed: 'A hook failed.',
  not_ready: 'A resource failed and will not become ready.',
  // the Kubernetes API
  not_found: 'The object does not exist in the cluster.',
  already_exists: 'The object already exists.',
  conflict: 'The object changed in the meantime, or another field manager owns its fields.',
  quota_conflict: 'Other requests changed a ResourceQuota at the same time, until the time limit.',
  webhook_unavailable: 'The API server could not call an admission webhook, until the time limit.',
  forbidden:
    'The agent, or the service account of the command, is not allowed to do this in the cluster, or its owner does not allow the command, or the user may not send it.',
  rights_file_invalid: 'The file that maps commands to service accounts cannot be used.',
  denied_by_policy: 'The policy of the owner of the cluster does not allow the command, its chart or an object.',
  policy_invalid: 'The policy of the owner of the cluster cannot be used.',
  unauthorized: "The API server rejects the agent's credentials.",
  invalid: 'The API server rejects the object.',
  invalid_name: 'A name or namespace cannot be part of a request to the API server.',
  bad_request: 'The request is malformed.',
  gone: 'The API server no longer has the requested resource version.',
  too_many_requests: 'The API server limits the rate of requests.',
  server_error: 'The API server failed.',
  unreachable: 'The API server cannot be reached.',
  unknown_kind: 'The cluster does not have this kind of object.',
  // the control plane, and starting up
  unauthenticated: 'The token is missing or wrong, or has expired.',
  token_not_found: 'No token of a user has the id.',
  agent_not_connected: 'No agent with the id is connected.',
  agent_not_found: 'No agent with the id was ever connected, or it was forgotten.',
  agent_connected: 'The agent is connected, so it cannot be forgotten.',
  agent_forgotten: 'The agent was forgotten before it sent the result.',
  agent_restarted: 'The agent was restarted, and the new instance does not know the command.',
  command_not_found: 'No command with the key is known; old commands are forgotten.',
  command_expired: 'The agent was not connected in time, and the command was not sent.',
  store_unavailable: 'The control plane cannot use the file of its commands; see its log.',
  unknown_route: 'The control plane does not have the path.',
  method_not_allowed: 'The path has other methods, which the header Allow names.',
  insecure_listen:
    'A server that other machines can reach needs a token, or an explicit permission to run without one.',
  token_unreadable: 'A token is empty, or its file cannot be read or does not hold a token.',
  tls_file_unreadable: 'A file with a CA, a certificate or a key cannot be read or used.',
  agents_file_invalid: 'The agents file cannot be read.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

export const errorCodeNames = Object.keys(errorCodes) as ErrorCode[]; // Object.keys widens to string[]

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
