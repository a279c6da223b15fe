// A process with many agents that enrol: started by enrolment.ts, which sends the tokens.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { WebSocket } from 'ws';
import { messageOf } from '../src/errors/index.ts';
import { decodePacket, encodePacket } from '../src/protocol/packet.ts';
import { type Challenge, proofText } from '../src/protocol/proof.ts';
import { keySubprotocol } from '../src/protocol/subprotocol.ts';

/** The agents that this process has to enrol. */
export interface Enrolling {
  url: string;
  agents: ReadonlyArray<{ agentId: string; token: string }>;
  /** Number of agents that connect at a time. */
  atOnce: number;
}

/** The time of each enrolment in milliseconds, from the dial to the welcome. */
export interface Enrolled {
  milliseconds: number[];
  failures: string[];
}

interface NewAgent {
  agentId: string;
  token: string;
  privateKey: KeyObject;
  key: string;
}

/** Enrols an agent, which stays connected. Resolves when it is welcome. */
function enrol(url: string, { agentId, token, privateKey, key }: NewAgent): Promise<void> {
  const socket = new WebSocket(url, [keySubprotocol], { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    const send = (type: string, payload: object) =>
      socket.send(encodePacket({ type, payload: JSON.stringify(payload) }));
    socket.on('error', reject);
    socket.on('close', (code, reason) => reject(new Error(`${code} ${reason.toString()}`)));
    socket.on('message', (data: Buffer) => {
      const { type, payload = '{}' } = decodePacket(data.toString());
      if (type === 'challenge') {
        const proof = { agentId, key };
        const text = proofText(JSON.parse(payload) as Challenge, proof); // of a control plane of this version
        send('proof', {
          ...proof,
          enrolmentToken: token,
          signature: sign(null, text, privateKey).toString('base64url'),
        });
      } else if (type === 'proved') {
        const limits = { maxPacketBytes: 8_388_608 };
        send('hello', { agentId, instanceId: agentId, version: '1', capabilities: ['install_release'], limits });
      } else if (type === 'welcome') resolve();
    });
  });
}

process.on('disconnect', () => process.exit());
process.once('message', ({ url, agents, atOnce }: Enrolling) => {
  const left: NewAgent[] = agents.map((agent) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    return { ...agent, privateKey, key: publicKey.export({ format: 'jwk' }).x ?? '' };
  });
  const enrolled: Enrolled = { milliseconds: [], failures: [] };
  const work = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const start = performance.now();
      await enrol(url, next).then(
        () => enrolled.milliseconds.push(performance.now() - start),
        (error: unknown) => enrolled.failures.push(messageOf(error)),
      );
    }
  };
  process.send?.('ready');
  process.once('message', () => {
    void Promise.all(Array.from({ length: atOnce }, work)).then(() => process.send?.(enrolled));
  });
});
