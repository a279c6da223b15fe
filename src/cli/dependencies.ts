import type { ControlPlaneSettings } from './control-plane-settings.ts';
import type { Host } from '../go/host.ts';
import type { RenderLimits } from '../render/limits.ts';
import type { ThreadedRenderer } from '../render/renderer.ts';
import type { RunSettings } from './run-settings.ts';

/** Where text goes. */
export interface Terminal {
  write(text: string): void;
  /** Whether a person watches. */
  readonly isTerminal: boolean;
  /** The width; looked at anew for each line that is drawn. */
  readonly columns: number;
}

/** What the program takes from outside. */
export interface ProgramDependencies {
  version: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The name of this machine or pod. */
  hostName: string;
  stdout: Terminal;
  stderr: Terminal;
  host: Host;
  /** Reads a file; `-` is what comes in through stdin. */
  readFile(path: string): Promise<Uint8Array>;
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Calls back at each Ctrl-C, instead of ending the process; returns what takes that back. */
  onInterrupt(listener: () => void): () => void;
  /** A renderer for charts of this machine; to be closed by who asked for it. */
  createRenderer(options: { allowNunjucks: boolean; limits?: RenderLimits }): ThreadedRenderer;
  /** Runs an agent until the process is told to stop. Fails where it cannot start. */
  runAgent(settings: RunSettings): Promise<void>;
  /** Runs a control plane until the process is told to stop. Fails where it cannot start. */
  runControlPlane(settings: ControlPlaneSettings): Promise<void>;
}
