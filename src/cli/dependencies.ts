import type { Host } from '../go/host.ts';
import type { CommandTable } from '../protocol/commands/table.ts';
import type { RenderLimits } from '../render/limits.ts';
import type { ValueWarning } from '../render/notice.ts';
import type { ResolveHost } from '../render/render-input.ts';
import type { ThreadedRenderer } from '../render/worker/threaded-renderer.ts';
import type { ControlPlaneSettings } from './control-plane/settings.ts';
import type { GuardSettings } from './guard/settings.ts';
import type { KubeConfig } from './helm/kubeconfig.ts';
import type { Releases } from './helm/release/releases.ts';
import type { HelmSettings } from './helm/settings.ts';
import type { RunSettings } from './run/settings-schema.ts';
import type { SandboxSettings } from './sandbox/settings.ts';

/** An output stream. */
export interface Terminal {
  /**
   * Writes text. On a terminal, characters that could take it over are replaced, and nothing is
   * written after the reader has closed the output.
   */
  write(text: string): void;
  /** Writes bytes as they are. Resolves when more can be written, or when the reader has gone. */
  writeBytes(bytes: Uint8Array): Promise<void>;
  /** Ends the output, so that its reader need not wait for the end of this process. */
  end(): void;
  /** Clears the last lines of a terminal, to write them again. */
  erase(lines: number): void;
  /** Whether the output is a terminal, and not a file or a pipe. */
  readonly isTerminal: boolean;
  /** Aborted when the reader has closed the output, as `| head` does. */
  readonly closed: AbortSignal;
  /** Current width in columns; it changes when the window is resized. */
  readonly columns: number;
  /** Current height in lines. */
  readonly rows: number;
}

/** The terminal or the pipes of this program, for another one that runs elsewhere. */
export interface SessionTerminal {
  /** Whether input and output are a terminal. */
  readonly isTerminal: boolean;
  /** Size of the terminal, in characters. */
  size(): { columns: number; rows: number };
  /** Calls the listener when the size changes. Returns a function that removes the listener. */
  onResize(listener: () => void): () => void;
  /** Passes on each key as bytes, Ctrl-C included. Returns a function that ends that. */
  startRaw(): () => void;
  /** Returns the keys, or the content of the pipe, until its end. */
  input(): AsyncIterable<Uint8Array>;
  /**
   * Writes bytes as they are. Resolves when more can be written. Rejects if the reader has closed
   * the output.
   */
  write(to: 'output' | 'error', bytes: Uint8Array): Promise<void>;
  /** Stops to read the input, so that this process can end. */
  close(): void;
}

/** A command that is looked at instead of being sent. */
export interface InterceptedCommand {
  type: string;
  /** As it is in packets. */
  payload: object;
  /** Whether it would bring a chart of this machine. */
  hasChart: boolean;
}

/** Everything that the program takes from outside. */
export interface ProgramDependencies {
  /** The commands that it can send. Default: those of helm-agent. */
  table?: CommandTable;
  /** Is given the commands that `ctl` would send. Default: they are sent. */
  interceptCommand?: (command: InterceptedCommand) => void;
  version: string;
  /** The words that start this program in a shell, for commands in hints. */
  programName: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Name of this machine or pod. */
  hostName: string;
  stdout: Terminal;
  stderr: Terminal;
  host: Host;
  /** Reads a file, or stdin for the path `-`. */
  readFile(path: string): Promise<Uint8Array>;
  isFolder(path: string): Promise<boolean>;
  /**
   * Changes a file that only this user can read, or creates it, as a whole and not at the same time
   * as another process. `change` gets the present text; undefined if there is no file.
   */
  updatePrivateFile(path: string, change: (text: string | undefined) => string): Promise<void>;
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /**
   * Calls the listener on each SIGINT, which Ctrl-C sends, SIGTERM and SIGHUP instead of ending the
   * process. Returns a function that removes the listener.
   */
  onInterrupt(listener: () => void): () => void;
  /**
   * Calls the listener on each SIGINT and SIGTERM instead of ending the process. Returns a function
   * that removes the listener.
   */
  onStop(listener: () => void): () => void;
  /** Opens stdin, stdout and stderr for a program that runs elsewhere. The caller closes them. */
  openSessionTerminal(): Promise<SessionTerminal>;
  /** Creates a renderer for charts of this machine. The caller closes it. */
  createRenderer(options: { allowNunjucks: boolean; limits?: RenderLimits }): Promise<ThreadedRenderer>;
  /** Returns the addresses of a host. Empty if there are none. */
  resolveHost: ResolveHost;
  /**
   * Opens the releases of the cluster that Helm's settings name. The caller closes them.
   * `onValueWarning` receives what Helm logs while it merges values.
   */
  openReleases(
    settings: HelmSettings,
    kubeConfig: () => Promise<KubeConfig>,
    onValueWarning: (warning: ValueWarning) => void,
  ): Promise<Releases>;
  /** Returns the names of the namespaces of the cluster that Helm's settings name. */
  listNamespaces(settings: HelmSettings, kubeConfig: () => Promise<KubeConfig>): Promise<string[]>;
  /** Runs an agent until the process gets a stop signal. Rejects if the agent cannot start. */
  runAgent(settings: RunSettings): Promise<void>;
  /** Guards the upgrade of an agent until it has ended. Rejects if it cannot. */
  runGuardian(settings: GuardSettings): Promise<void>;
  /** Runs a control plane until the process gets a stop signal. Rejects if it cannot start. */
  runControlPlane(settings: ControlPlaneSettings): Promise<void>;
  /**
   * Runs a Kubernetes API in memory until the process gets a stop signal. Calls `ready` with its
   * URL and the path of the kubeconfig it wrote. Rejects if it cannot start.
   */
  runSandbox(settings: SandboxSettings, ready: (url: string, kubeconfig: string) => void): Promise<void>;
}
