import test from 'ava';
import { receiverAddress, receiverUrl } from '../../../src/control-plane/webhooks/receiver-address.ts';

const refusesUrl = test.macro({
  exec(t, url: string) {
    t.throws(() => receiverUrl(url, ['allowed.test']), { name: 'DeniedReceiverError' });
  },
  title: (_, url) => `refuses the URL ${JSON.stringify(url)}`,
});

for (const url of [
  ...['http://example.com/', 'ftp://allowed.test/', 'file:///etc/passwd', '/api', 'https://', ''],
  ...['https://user:password@example.com/', 'https://allowed.test@example.com:x/', 'https://u@allowed.test/'],
  ...['https://127.0.0.1/', 'https://127.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://0177.0.0.1/'],
  ...['https://169.254.169.254/latest/', 'https://168.63.129.16/', 'https://0.0.0.0/', 'https://10.0.0.1/'],
  ...['https://[::1]/', 'https://[::ffff:10.0.0.1]/', 'https://[::ffff:8.8.8.8]/', 'https://[fe80::1]/'],
  ...['https://[::127.0.0.1]/', 'https://[::a9fe:a9fe]/'],
  ...['https://[fd00:ec2::254]/', 'https://[64:ff9b::a9fe:a9fe]/', 'https://[2002:7f00:1::]/', 'https://[::]/'],
  ...['https://100.64.0.1/', 'https://192.168.1.1/', 'https://224.0.0.1/', 'https://①②⑦.0.0.1/'],
]) {
  test(refusesUrl, url);
}

test('a URL cannot have a line break of a header', (t) => {
  const { href } = receiverUrl('https://example.com/a\r\nHost: b/%0d%0a?x=\r\nwebhook-id: 1', []);
  t.notRegex(href, /[\r\n]/);
});

test('hosts that the operator allows need no https, and may have any address', async (t) => {
  t.is(receiverUrl('http://allowed.test:8080/x', ['allowed.test']).port, '8080');
  const found = await receiverAddress(new URL('http://allowed.test/'), ['allowed.test'], () =>
    Promise.resolve([{ address: '10.0.0.1', family: 4 }]),
  );
  t.is(found.address, '10.0.0.1');
});

test('a host is refused if one of its addresses is not public', async (t) => {
  const url = new URL('https://example.com/');
  const addresses = (...all: string[]) =>
    receiverAddress(url, [], () =>
      Promise.resolve(all.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))),
    );
  t.is((await addresses('93.184.215.14', '2606:2800:21f::1')).address, '93.184.215.14');
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', 'not an address', 'fe80::1%eth0']) {
    await t.throwsAsync(addresses('93.184.215.14', address), { message: /not public/ }, address);
  }
  await t.throwsAsync(addresses(), { message: /no address/ });
});
