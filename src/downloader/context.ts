import type { Notice } from '../chart/load/chart-content.ts';
import type { Warn } from '../chart/values/coalesce-tables.ts';
import type { Host } from '../go/host.ts';

/** Everything that this folder takes from outside. */
export interface DownloadContext {
  readonly settings: DownloadPaths;
  /** Has `HTTP_PROXY` and its like, and names the files with logins to registries. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host: Host;
  /** Receives what helm prints. */
  readonly stdout: { write(text: string): void };
  /** Receives what helm logs. */
  readonly log: { readonly notice: Notice; readonly warn: Warn };
}

/** The files and folders that helm keeps for its user. */
interface DownloadPaths {
  /** File with the repositories that were added. */
  readonly repositoryConfig: string;
  /** Folder of the indexes of repositories. */
  readonly repositoryCache: string;
  /** Folder of the archives that were downloaded. */
  readonly contentCache: string;
  /** File with the logins to registries. */
  readonly registryConfig: string;
}

/** The connection to repositories and registries. A text that is not given is empty. */
export interface ConnectionOptions {
  readonly username: string;
  readonly password: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly plainHttp: boolean;
}

/** The version of a chart, its repository, and its verification. */
export interface ChartPathOptions extends ConnectionOptions {
  /** Version or range, or an empty text. */
  readonly version: string;
  readonly verify: boolean;
  readonly keyring: string;
  /** URL of a repository, or an empty text. */
  readonly repo: string;
  readonly passCredentials: boolean;
}

/** The download of the dependencies of a chart. */
export interface DependencyOptions extends ConnectionOptions {
  /** Whether to use the indexes of repositories as they are. */
  readonly skipRefresh: boolean;
  /** How downloads are verified (default: they are not). */
  readonly verification?: { readonly strategy: VerificationStrategy; readonly keyring: string };
}

/** How the signature of a downloaded chart is used, in Helm's words. */
export type VerificationStrategy =
  /** It is not downloaded. */
  | 'never'
  /** It is downloaded and verified if there is one. */
  | 'if possible'
  /** It must be there, and valid. */
  | 'always'
  /** It is downloaded if there is one, and not verified. */
  | 'later';
