import { type ConnectionOptions, createSecureContext, getCACertificates } from 'node:tls';
import { Agent, buildConnector } from 'undici';

/** OpenSSL's codes for a certificate whose CA is not known. */
const unknownIssuerCodes = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

type TlsOptions = buildConnector.BuildOptions & Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized'>;

/**
 * Returns TLS options with which a client also trusts the CAs of the machine, and those that
 * `SSL_CERT_FILE` and `SSL_CERT_DIR` name, as Go does. With a CA of its own, it trusts only that.
 */
export function withMachineTrust(tls: TlsOptions): TlsOptions {
  if (!trustsDefaults(tls)) return tls;
  const { cert, key } = tls;
  const ca = [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
  const identity = { ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
  return { ...tls, secureContext: createSecureContext({ ...identity, ca }) };
}

/** Whether options leave it to Node which CAs are trusted. */
function trustsDefaults({ ca, rejectUnauthorized }: TlsOptions): boolean {
  return ca === undefined && rejectUnauthorized !== false;
}

/**
 * Returns a connector like undici's that also trusts what {@link withMachineTrust} does. The CAs of
 * the machine take time and memory, so they are read when a server needs them.
 */
export function trustingConnector(tls: TlsOptions): buildConnector.connector {
  const connect = buildConnector(tls);
  if (!trustsDefaults(tls)) return connect;
  let trusting: buildConnector.connector | undefined;
  return (options, callback) => {
    connect(options, (...result) => {
      const [error] = result;
      if (!isUnknownIssuer(error)) {
        callback(...result);
        return;
      }
      try {
        trusting ??= buildConnector(withMachineTrust(tls));
      } catch {
        callback(error, null); // the CAs cannot be read
        return;
      }
      trusting(options, callback);
    });
  };
}

function isUnknownIssuer(error: Error | null): error is Error {
  return error !== null && 'code' in error && unknownIssuerCodes.includes(String(error.code));
}

/** Returns a dispatcher without proxies that trusts the CAs of the machine. */
export function trustingAgent(): Agent {
  return new Agent({ connect: trustingConnector({}) });
}
