import { randomUUID } from 'node:crypto';
import { ControlPlaneServer, type ControlPlaneOptions } from './control-plane.ts';

export type { ControlPlaneOptions } from './control-plane.ts';
export type { ConnectedAgent } from './connected-agent.ts';
export type { CommandEvent } from './command-event.ts';
export { ControlPlaneError } from './error.ts';
export type { SentCommand } from './sent-command.ts';
export type { Token } from './token.ts';
export type { Answer, Failure, Position, Result, Status } from '../protocol/messages.ts';
export type { CommandParameters } from '../protocol/commands.ts';

/**
 * A control plane for agents, in this process:
 *
 *     const plane = new ControlPlane({ agentToken: 'secret' });
 *     await plane.listen(8088);
 *     await plane.waitForAgent('edge-1');
 *     const command = plane.install('edge-1', { releaseName: 'web', chartName: 'nginx', repoUrl: 'https://charts.example' });
 *     for await (const event of command) console.log(event);
 *     const result = await command.result;
 */
export class ControlPlane extends ControlPlaneServer {
  constructor(options: ControlPlaneOptions = {}) {
    super(options, { now: () => new Date(), newKey: randomUUID });
  }
}
