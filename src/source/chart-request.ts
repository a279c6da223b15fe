/** Which chart is wanted, and where it is. */
export interface ChartRequest {
  /** The chart's name in the repository; without a repository, a path below the folder for local charts. */
  chartName: string;
  /** A version or a range as Masterminds' semver understands it. Absent or empty: the newest stable version. A local chart's is not looked at, as in Helm. */
  chartVersion?: string | undefined;
  /** An HTTP or HTTPS address below which index.yaml is. May hold userinfo. Absent or empty: the chart is a path. */
  repoUrl?: string | undefined;
  /** Sent, together with the password, to the repository's own scheme, host and port only. */
  username?: string | undefined;
  password?: string | undefined;
  /** Send username and password also where the index points to another host. Default false. */
  passCredentials?: boolean | undefined;
  /** Ask an OCI registry over HTTP without TLS. Default false. */
  plainHttp?: boolean | undefined;
}
