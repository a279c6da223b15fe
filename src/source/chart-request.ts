/** Certificate authorities, and the certificate and key of a client, in PEM form. */
export interface ClientTls {
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

/** A key whose signatures of charts count. It has one of the three forms. */
export interface ChartKey {
  /** For errors and results. */
  name: string;
  /** In PEM: the key of `cosign sign --key`. */
  publicKey?: string | undefined;
  /** OpenPGP keys in armor, or in base64: those of `helm package --sign`. */
  keyring?: string | undefined;
  /** Signatures of `cosign sign` without a key. */
  keyless?:
    | {
        /** Who has checked the identity: a URL, as the certificate has it. */
        issuer: string;
        /** Pattern of a URL or an address of mail, in which `*` is any text. */
        identity: string;
        /** JSON text of a `trusted_root.json` of Sigstore. */
        trustedRoot: string;
      }
    | undefined;
}

/** Which signatures a chart must have. */
export interface ChartVerification {
  /** `if-present`: only a chart that has a signature must have a valid one. */
  mode: 'always' | 'if-present';
  keys: readonly ChartKey[];
}

/** Repositories, registries and URLs in place of others. */
export interface SourceMirrors {
  /** Returns the URL in place of another one. Undefined if no mirror is for it. */
  mirrorOf(url: string): { url: string; secret: string | undefined } | undefined;
  /** The hosts, with ports, that a mirror may lead to. */
  hosts: ReadonlySet<string>;
  /** Reads the credentials for a chart of a mirror from its Secret. Default: none are sent. */
  credentials?: ReadCredentials | undefined;
}

/** Reads the credentials for a chart from the Secret with this name. */
export type ReadCredentials = (
  secret: string,
  chart: Pick<ChartRequest, 'repoUrl' | 'chartName'>,
  signal: AbortSignal,
) => Promise<SourceAccess>;

/** Everything with which a client identifies itself to a repository or registry. */
export type SourceAccess = Pick<
  ChartRequest,
  'username' | 'password' | 'token' | 'identityToken' | 'tls' | 'credentialPaths'
>;

/** A request for one version of a chart. */
export interface ChartRequest {
  /**
   * Name of the chart in the repository. Without a repository: an `oci://` URL of the chart, an
   * HTTP URL of its archive, or a path below the folder for local charts.
   */
  chartName: string;
  /**
   * Version, or range in the syntax of Masterminds' semver. Default: the newest stable version.
   * Ignored for local charts and for archives given by URL, as in Helm.
   */
  chartVersion?: string | undefined;
  /**
   * Repository of the chart: an HTTP or HTTPS URL below which index.yaml is, and which may have
   * userinfo, or an `oci://` URL below which the chart is. Default: none.
   */
  repoUrl?: string | undefined;
  /** Sent, together with the password, only to the scheme, host and port of the repository. */
  username?: string | undefined;
  password?: string | undefined;
  /**
   * Whether to send them to other hosts that the index refers to, and to the token service of a
   * registry on another domain, too. Default: false.
   */
  passCredentials?: boolean | undefined;
  /** Token that is sent like, and instead of, a user name and a password. Default: none. */
  token?: string | undefined;
  /**
   * Token that is exchanged for others at the token service of a registry, instead of a user name
   * and a password. Default: none.
   */
  identityToken?: string | undefined;
  /**
   * Paths on the host of the repository below which the user name, the password and the token may
   * be sent. Default: all.
   */
  credentialPaths?: readonly string[] | undefined;
  /**
   * Certificates for the connections to the host of the repository, and not to those of redirects.
   * Default: the authorities of Node and of the machine, and no certificate.
   */
  tls?: ClientTls | undefined;
  /** Downloads the dependencies that are missing in the folder charts/. Default: false. */
  dependencyUpdate?: boolean | undefined;
  /** The archive of the chart, which came with the request. Default: it is downloaded. */
  archive?: Uint8Array | undefined;
  /**
   * SHA-256 of the chart's archive, in hex, with or without the prefix `sha256:`, wherever the
   * archive comes from; of a chart in a registry, the digest of its chart layer. A folder has none.
   * Default: it is not checked.
   */
  digest?: string | undefined;
  /** Repositories in place of others, also for what an index or a chart names. Default: none. */
  mirrors?: SourceMirrors | undefined;
  /** Whether the request asks a mirror, and no host but those of mirrors. Default: false. */
  isMirrored?: boolean | undefined;
  /** The signature that the chart must have. Default: none. */
  verification?: ChartVerification | undefined;
  /** Provenance file of an archive that came with the request or was uploaded. Default: none. */
  provenance?: Uint8Array | undefined;
  /** Digest of an archive that was uploaded, as `sha256:HEX`. Default: the chart is downloaded. */
  upload?: string | undefined;
}
