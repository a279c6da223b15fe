/** The help of `helm` without a command. */
export const rootHelp = `Commands of Helm, with Helm's arguments and output, run by helm-agent.

Charts: search, pull, show, template, lint, package, push, dependency
Releases: install, upgrade, rollback, uninstall, test, list, status, history, get

Releases are those of the cluster of a kubeconfig, or of the cluster of an agent:

  HELM_AGENT_AGENT, HELM_AGENT_SERVER, HELM_AGENT_TOKEN_FILE   agent and control plane

Other variables:

  HELM_NAMESPACE, HELM_DRIVER            namespace; secret or configmap, for releases
  HELM_MAX_HISTORY                       number of revisions that an upgrade keeps
  KUBECONFIG, HELM_KUBECONTEXT           cluster
  HELM_KUBEAPISERVER, HELM_KUBETOKEN,    connection to the cluster
  HELM_KUBECAFILE, HELM_KUBEASUSER,
  HELM_KUBEASGROUPS,
  HELM_KUBETLS_SERVER_NAME,
  HELM_KUBEINSECURE_SKIP_TLS_VERIFY,
  HELM_BURST_LIMIT, HELM_QPS
  HELM_CONFIG_HOME, HELM_CACHE_HOME,     folders of Helm's files; then those of XDG, then
  HELM_DATA_HOME                         ~/.config/helm, ~/.cache/helm, ~/.local/share/helm
  HELM_REPOSITORY_CONFIG,                single files and folders; "helm env" prints them
  HELM_REPOSITORY_CACHE,
  HELM_REGISTRY_CONFIG
`;
