import { defaultRights } from '../../protocol/commands/definition.ts';
import { insecureTransportSetting } from '../insecure-transport.ts';
import { limitsDescription, limitsFlag } from '../limits-flag.ts';
import { serverTlsSettings } from '../server-tls-settings.ts';
import type { Settings } from '../settings.ts';

export const runSettings = {
  controlPlane: {
    flag: 'control-plane',
    value: 'url',
    variable: 'HELM_AGENT_CONTROL_PLANE',
    description:
      'ws:// or wss:// URL of the control plane to connect to, or several, separated by commas, in the order in which they are tried; HTTPS_PROXY and NO_PROXY apply to wss://',
  },
  controlPlaneCa: {
    flag: 'control-plane-ca',
    value: 'file',
    variable: 'HELM_AGENT_CONTROL_PLANE_CA',
    description: 'file with the CAs that the certificate of the control plane may be from; read for each connection',
    default: 'the CAs of the system',
  },
  clientCertificate: {
    flag: 'client-certificate',
    value: 'file',
    variable: 'HELM_AGENT_CLIENT_CERTIFICATE',
    description: 'file with the certificate that the agent shows to the control plane; read for each connection',
    default: 'none',
  },
  clientKey: {
    flag: 'client-key',
    value: 'file',
    variable: 'HELM_AGENT_CLIENT_KEY',
    description: 'file with the private key of --client-certificate; read for each connection',
    default: 'none',
  },
  tokenFile: {
    flag: 'token-file',
    value: 'file',
    variable: 'HELM_AGENT_TOKEN_FILE',
    description:
      'file with the token for the control plane; read again for each connection. Without --control-plane, clients of --listen must send it if there is no --listen-token-file',
  },
  listenTokenFile: {
    flag: 'listen-token-file',
    value: 'file',
    variable: 'HELM_AGENT_LISTEN_TOKEN_FILE',
    description:
      'file with the token that clients of --listen must send, another one than that of --token-file; read again for each connection',
  },
  enrolmentTokenFile: {
    flag: 'enrolment-token-file',
    value: 'file',
    variable: 'HELM_AGENT_ENROLMENT_TOKEN_FILE',
    description:
      'file with the one-time token of "ctl enrol". With it, the agent makes a key of its own and proves that to the control plane; the file may be missing afterwards',
  },
  keyFile: {
    flag: 'key-file',
    value: 'file',
    variable: 'HELM_AGENT_KEY_FILE',
    description: 'file for the key of the agent, which is created',
    default: 'a Secret in the namespace of the agent',
  },
  keyRotation: {
    flag: 'key-rotation',
    value: 'duration',
    variable: 'HELM_AGENT_KEY_ROTATION',
    description: 'age at which the agent replaces its key',
    default: '720h',
  },
  sealingKeyRotation: {
    flag: 'sealing-key-rotation',
    value: 'duration',
    variable: 'HELM_AGENT_SEALING_KEY_ROTATION',
    description:
      'age at which the agent replaces the key to which values are sealed; the one before opens values until the next is replaced',
    default: 'it is kept',
  },
  insecureTransport: insecureTransportSetting,
  agentId: {
    flag: 'agent-id',
    value: 'id',
    variable: 'HELM_AGENT_AGENT_ID',
    description: 'name of this agent at the control plane',
    default: 'the name of this machine',
  },
  kubeconfig: {
    flag: 'kubeconfig',
    value: 'file',
    variable: 'HELM_AGENT_KUBECONFIG',
    description: 'kubeconfig of the cluster',
    default: 'the service account in a pod, otherwise the kubeconfig of kubectl',
  },
  listen: {
    flag: 'listen',
    value: '[host:]port',
    variable: 'HELM_AGENT_LISTEN',
    description: 'serve clients of the Go helm-agent at /exe-cmd; the host defaults to 127.0.0.1',
  },
  listenInsecure: {
    flag: 'listen-insecure',
    variable: 'HELM_AGENT_LISTEN_INSECURE',
    description: 'let --listen use an address that other machines can reach without a token',
  },
  listenExec: {
    flag: 'listen-exec',
    variable: 'HELM_AGENT_LISTEN_EXEC',
    description: 'give clients of --listen shells at /container/exe-cmd, which are not recorded; needs the right exec',
  },
  ...serverTlsSettings,
  healthPort: {
    flag: 'health-port',
    value: 'port',
    variable: 'HELM_AGENT_HEALTH_PORT',
    description: 'serve only /livez, /readyz and /metrics on this port, on all addresses, without a token',
    default: 'none',
  },
  memoryLimit: {
    flag: 'memory-limit',
    value: 'MiB',
    variable: 'HELM_AGENT_MEMORY_LIMIT_MB',
    description: 'memory that the process may take; what needs more is ended',
    default: 'the limit of the container',
  },
  allowNunjucks: {
    flag: 'allow-nunjucks',
    variable: 'HELM_AGENT_ALLOW_NUNJUCKS',
    description: 'also render charts that are written for Nunjucks',
  },
  localCharts: {
    flag: 'local-charts',
    value: 'dir',
    variable: 'HELM_AGENT_LOCAL_CHARTS',
    description: 'folder of charts that commands may name by a path below it',
    default: 'none',
  },
  denyAddresses: {
    flag: 'deny-addresses',
    value: 'list',
    variable: 'HELM_AGENT_DENY_ADDRESSES',
    description:
      'addresses that chart downloads must not connect to: loopback, link-local, metadata, private, or ranges such as 10.0.0.0/8',
    default: 'none',
  },
  denyDns: {
    flag: 'deny-dns',
    variable: 'HELM_AGENT_DENY_DNS',
    description: 'refuse commands with enableDns, with which a chart can send what it knows to a name server',
  },
  plainHttp: {
    flag: 'plain-http',
    variable: 'HELM_AGENT_PLAIN_HTTP',
    description: 'use HTTP instead of HTTPS for the registries of oci:// charts',
  },
  postRenderers: {
    flag: 'post-renderers',
    value: 'list',
    variable: 'HELM_AGENT_POST_RENDERERS',
    description:
      'programs that commands may name as post-renderers: NAME=FILE, separated by commas; they get manifests on stdin',
    default: 'none',
  },
  allowOwnNamespace: {
    flag: 'allow-own-namespace',
    variable: 'HELM_AGENT_ALLOW_OWN_NAMESPACE',
    description: 'let commands and charts access the namespace of the agent, with its token, journal and credentials',
  },
  allowedRights: {
    flag: 'allow-rights',
    value: 'list',
    variable: 'HELM_AGENT_ALLOW_RIGHTS',
    description:
      'rights whose commands the agent performs, separated by commas: read, deploy, admin, act, which restarts, scales and deletes, logs, support, which collects support bundles, and exec, which runs programs in containers',
    default: defaultRights.join(','),
  },
  rightsFile: {
    flag: 'rights-file',
    value: 'file',
    variable: 'HELM_AGENT_RIGHTS_FILE',
    description:
      'file that maps commands to the service accounts that perform them, which the agent impersonates; read for each command',
    default: 'none; the agent performs all commands with its own rights',
  },
  policyFile: {
    flag: 'policy-file',
    value: 'file',
    variable: 'HELM_AGENT_POLICY_FILE',
    description: 'file with what the owner of the cluster allows commands, charts and objects; read for each command',
    default: 'none; all is allowed',
  },
  lookup: {
    flag: 'lookup',
    value: 'objects',
    variable: 'HELM_AGENT_LOOKUP',
    description:
      'objects that the template function lookup may read: none, those of the namespace of the release and those without a namespace (release), or all; the field lookup of a policy wins',
    default: 'release',
  },
  resultKeyFile: {
    flag: 'result-key-file',
    value: 'file',
    variable: 'HELM_AGENT_RESULT_KEY_FILE',
    description: 'file with the private Ed25519 key in PEM with which the agent signs results and plans',
    default: 'none; results are not signed',
  },
  trustReleases: {
    flag: 'trust-releases',
    value: 'clients',
    variable: 'HELM_AGENT_TRUST_RELEASES',
    description:
      'stored revisions whose hooks run and whose manifests are deployed again: own, those that agents of this namespace have written, or any; own needs the journal in the cluster',
    default: 'any',
  },
  storageDriver: {
    flag: 'storage-driver',
    value: 'driver',
    variable: 'HELM_AGENT_STORAGE_DRIVER',
    description: 'where releases are stored, like HELM_DRIVER of helm: secret or configmap (default: secret)',
  },
  journal: {
    flag: 'journal',
    value: 'place',
    variable: 'HELM_AGENT_JOURNAL',
    description:
      'where commands are kept so that they survive the process: cluster, in Secrets of the namespace of the agent, or memory',
    default: 'cluster in a pod, otherwise memory',
  },
  recover: {
    flag: 'recover',
    value: 'mode',
    variable: 'HELM_AGENT_RECOVER',
    description:
      'releases that an ended process of this agent has left pending or uninstalling: auto stores that they have failed, report logs them',
    default: 'auto with --journal cluster, otherwise report',
  },
  leaderElect: {
    flag: 'leader-elect',
    variable: 'HELM_AGENT_LEADER_ELECT',
    description:
      'work only while this process holds the Lease of its agent id, so that several replicas can run; needs the journal in the cluster',
  },
  leaderElectLeaseDuration: {
    flag: 'leader-elect-lease-duration',
    value: 'duration',
    variable: 'HELM_AGENT_LEADER_ELECT_LEASE_DURATION',
    description: 'time without a renewal of the Lease after which another process leads',
    default: '15s',
  },
  leaderElectRenewDeadline: {
    flag: 'leader-elect-renew-deadline',
    value: 'duration',
    variable: 'HELM_AGENT_LEADER_ELECT_RENEW_DEADLINE',
    description: 'time without a renewal of the Lease after which the leader parks its operations and stops',
    default: '10s',
  },
  leaderElectRetryPeriod: {
    flag: 'leader-elect-retry-period',
    value: 'duration',
    variable: 'HELM_AGENT_LEADER_ELECT_RETRY_PERIOD',
    description: 'time between two attempts to take or renew the Lease',
    default: '2s',
  },
  limits: {
    flag: limitsFlag,
    value: 'list',
    variable: 'HELM_AGENT_LIMITS',
    description: limitsDescription,
  },
} satisfies Settings<string>;
