import { EventEmitter } from 'node:events';
import test from 'ava';
import { ConnectionShares, shareOf } from '../../src/net/connection-shares.ts';

class TestSocket extends EventEmitter {
  readonly localAddress = '192.0.2.1';
  readonly remoteAddress: string;
  readonly remotePort: number;
  isOpen = true;

  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  destroy(): void {
    this.isOpen = false;
    this.emit('close');
  }
}

/** Opens connections of an address, which have the ports 1, 2 and so on. */
function open(shares: ConnectionShares, address: string, count: number): TestSocket[] {
  const sockets = Array.from({ length: count }, (_, index) => new TestSocket(address, index + 1));
  for (const socket of sockets) shares.add(socket);
  return sockets;
}

const openOnes = (sockets: readonly TestSocket[]) =>
  sockets.filter(({ isOpen }) => isOpen).map(({ remotePort }) => remotePort);

test('beyond the limit, the oldest connection of the address that has the most is ended', (t) => {
  const shares = new ConnectionShares({ connections: 100, strangers: 5 });
  const few = open(shares, '198.51.100.1', 2);
  const many = open(shares, '198.51.100.2', 100);
  t.deepEqual(openOnes(few), [1, 2]);
  t.deepEqual(openOnes(many), [98, 99, 100]);
  const more = open(shares, '198.51.100.3', 1);
  t.deepEqual([openOnes(few), openOnes(many), openOnes(more)], [[1, 2], [99, 100], [1]]);
});

test('connections with a valid token are not ended, and leave the others no more than the rest', (t) => {
  const shares = new ConnectionShares({ connections: 10, strangers: 5 });
  const known = Array.from({ length: 8 }, (_, index) => new TestSocket('198.51.100.1', index + 1));
  for (const socket of known) {
    shares.add(socket);
    shares.trust(new TestSocket(socket.remoteAddress, socket.remotePort)); // the one inside TLS
    shares.trust(socket);
  }
  const others = open(shares, '198.51.100.1', 20);
  t.is(openOnes(known).length, 8);
  t.deepEqual(openOnes(others), [19, 20]);
  known[0]?.destroy();
  t.deepEqual(openOnes([...others, ...open(shares, '198.51.100.2', 1)]), [19, 20, 1]);
});

test('a closed connection makes room', (t) => {
  const shares = new ConnectionShares({ connections: 10, strangers: 2 });
  for (let round = 0; round < 100; round++) {
    const sockets = open(shares, `198.51.100.${round}`, 2);
    t.deepEqual(openOnes(sockets), [1, 2]);
    for (const socket of sockets) socket.destroy();
  }
});

const shareIs = test.macro({
  exec: (t, address: string, share: string) => t.is(shareOf(address), share),
  title: (_, address: string) => `the share of ${address || 'an unknown address'}`,
});

test(shareIs, '198.51.100.1', '198.51.100.1');
test(shareIs, '::ffff:198.51.100.1', '198.51.100.1');
test(shareIs, '2001:db8:1:2:3:4:5:6', '2001:db8:1:2');
test(shareIs, '2001:db8:1:2::6', '2001:db8:1:2');
test(shareIs, '2001:0DB8::1', '2001:db8:0:0');
test(shareIs, '::1', '0:0:0:0');
test(shareIs, 'fe80::1%eth0', 'fe80:0:0:0');
test(shareIs, '', '0');
