/** The surroundings of the agent. */
export interface SoakSetup {
  kubeconfig: string;
  controlPlane: string;
  charts: string;
}

/** The resources of the agent's process. */
export interface SoakFigures {
  /** Bytes. */
  rss: number;
  heapUsed: number;
  /** Numbers of the resources that keep the process alive: sockets, timers and so on. */
  handles: Record<string, number>;
  /** Listeners of the process. */
  listeners: number;
}

/** Returns figures as one line. */
export function figuresText({ rss, heapUsed, handles, listeners }: SoakFigures): string {
  const mib = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
  const counts = Object.entries(handles)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`);
  return `RSS ${mib(rss)}, heap ${mib(heapUsed)}, listeners ${listeners}, ${counts.join(', ')}`;
}
