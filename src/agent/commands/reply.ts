import { answerSchema, resultSchema } from '../../protocol/messages.ts';
import type { Packet } from '../../protocol/packet.ts';
import type { WireForm } from '../../protocol/subprotocol.ts';

/** Something that the agent says of a command. */
export interface Reply {
  kind: 'accepted' | 'status' | 'result';
  /** The command's. */
  key: string | undefined;
  /** The command's. */
  type: string | undefined;
  /** JSON text of the kind's payload. */
  payload: string;
}

/** The packet that says it; undefined where the form has none. */
export function packetOf(reply: Reply, form: WireForm): Packet | undefined {
  const key = reply.key === undefined ? {} : { key: reply.key };
  if (form === 'v1') return { ...key, type: reply.kind, payload: reply.payload };
  if (reply.kind !== 'result') return undefined;
  return { ...key, type: reply.type ?? '', payload: plainPayload(reply.payload) };
}

/** As the Go helm-agent answers: what was asked for as JSON, or the bare text of the error. */
function plainPayload(resultText: string): string {
  const result = resultSchema.parse(JSON.parse(resultText));
  if (!result.ok) return result.error.message;
  const { release, releases, deployment } = answerSchema.parse(result);
  return JSON.stringify(release ?? releases ?? deployment);
}
