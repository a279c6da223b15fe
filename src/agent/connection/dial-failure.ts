/**
 * Why a dial failed: an HTTP status in place of a WebSocket, an error of the network or TLS, or the
 * agent's own limit.
 */
export type DialFailure =
  /**
   * `hasToken`: whether the agent has sent a token. Default: true. `hasKey`: whether it has offered
   * to prove its key. Default: false. `retryAfterMs`: when the server, which has no room now, wants
   * the agent to try again.
   */
  | { kind: 'status'; status: number; hasToken?: boolean; hasKey?: boolean; retryAfterMs?: number }
  /** `isProxy`: the connection to the proxy failed. */
  | { kind: 'error'; code: string | undefined; isProxy?: boolean }
  /** The proxy refused to connect to the control plane, with an HTTP status. */
  | { kind: 'proxy'; status?: number }
  | { kind: 'timeout' };

/** Returns a sentence about the failure that says what to do. */
export function explainDialFailure(failure: DialFailure, url: string): string {
  switch (failure.kind) {
    case 'status':
      if (failure.status === 401 && failure.hasKey === true) return unknownKeysText;
      if (failure.status === 401 && failure.hasToken === false) return missingTokenText;
      return statusText(failure.status);
    case 'error':
      return failure.isProxy === true ? proxyErrorText(failure.code) : explainConnectError(failure.code, new URL(url));
    case 'proxy':
      return proxyText(failure.status);
    case 'timeout':
      return 'the control plane did not complete the handshake in time; check the address, and firewalls on the way';
  }
}

const statusTexts: Record<number, string> = {
  400: 'the server refuses the handshake; check that the URL leads to a control plane, and use wss:// if the port expects TLS',
  401: 'the control plane refuses the token; check that --token-file holds the token of this agent, and that it is not revoked',
  403: 'the control plane forbids this agent; check the token, and proxies that add an Origin header',
  404: 'the server has no control plane at this path; check the path of the URL',
  407: 'a proxy asks for credentials; put them into the URL of the proxy, or connect without the proxy',
  429: 'the control plane has too many connections; the agent tries again later',
  502: 'a proxy cannot reach the control plane; check that the control plane is running',
  503: 'the control plane is not available; the agent tries again later',
  504: 'a proxy gets no response from the control plane; check that the control plane is running',
};

const missingTokenText =
  'the control plane requires a token; name a file that holds the token of this agent with --token-file (HTTP 401)';

const unknownKeysText =
  'the control plane does not know keys of agents; update it, or give the agent a token with --token-file (HTTP 401)';

function statusText(status: number): string {
  return `${statusTexts[status] ?? otherStatusText(status)} (HTTP ${status})`;
}

function otherStatusText(status: number): string {
  if (status >= 500) return 'the server failed; see its log';
  if (status >= 300 && status < 400) return 'the server redirects to another address; give that address as the URL';
  return 'the server does not open a WebSocket; check that the URL leads to a control plane';
}

function proxyText(status: number | undefined): string {
  if (status === 407) return `${statusTexts[status] ?? ''} (HTTP ${status})`;
  const refusal = status === undefined ? '' : ` (HTTP ${status})`;
  return `the proxy refuses to connect to the control plane; check HTTPS_PROXY and the rules of the proxy${refusal}`;
}

function proxyErrorText(code = 'unknown'): string {
  return `cannot connect to the proxy; check HTTPS_PROXY, or name the control plane in NO_PROXY (${code})`;
}

/**
 * Returns a sentence about an error of the network or of TLS, by its code, that says what to do.
 * The URL may be that of a WebSocket or of the REST API.
 */
export function explainConnectError(code: string | undefined, url: URL): string {
  return code === undefined ? `the connection to ${url.host} failed` : `${textFor(code, url)} (${code})`;
}

function textFor(code: string, { protocol, hostname, host }: URL): string {
  const isTls = protocol === 'wss:' || protocol === 'https:';
  const isWebSocket = protocol === 'wss:' || protocol === 'ws:';
  const [plain, secure] = isWebSocket ? ['ws://', 'wss://'] : ['http://', 'https://'];
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `the certificate is not valid for ${hostname}; use a host name that the certificate has`;
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return "the control plane's certificate is not valid at this time; renew it, or correct the clock";
  }
  if (untrustedCertificate.has(code)) {
    const remedy = isWebSocket ? 'with --control-plane-ca' : 'with ctl --ca-file, or in HELM_AGENT_CA_FILE';
    return `the control plane's certificate is not trusted; name the file with its CA ${remedy}`;
  }
  if (clientCertificate.test(code)) {
    return 'the control plane refuses the client certificate; check --client-certificate and --client-key';
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return `TLS with ${host} failed; use ${plain} if the port does not serve TLS`;
  }
  if (code.startsWith('HPE_')) {
    return `${host} does not serve HTTP${isTls ? '' : `; use ${secure} if the port serves TLS`}`;
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return `${host} closed the connection during the handshake${isTls ? '' : `; use ${secure} if the port serves TLS`}`;
  }
  return networkText(code, hostname, host);
}

/** The alerts of TLS about the certificate of a client. */
const clientCertificate =
  /^ERR_SSL_.*ALERT_(CERTIFICATE_REQUIRED|UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_\w+|HANDSHAKE_FAILURE|ACCESS_DENIED)$/;

const untrustedCertificate = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
]);

function networkText(code: string, hostname: string, host: string): string {
  switch (code) {
    case 'ENOTFOUND':
      return `the name ${hostname} cannot be resolved; check the host of the URL`;
    case 'EAI_AGAIN':
      return `the name ${hostname} cannot be resolved at the moment; check DNS`;
    case 'ECONNREFUSED':
      return `${host} refuses connections; check the port, and that the control plane is running`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `no route leads to ${host}; check the network`;
    case 'ETIMEDOUT':
      return `${host} does not respond; check the address, and firewalls on the way`;
    default:
      return `the connection to ${host} failed`;
  }
}
