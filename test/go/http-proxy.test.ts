import test from 'ava';
import { proxyChooser } from '../../src/go/http-proxy.ts';

type Environment = Parameters<typeof proxyChooser>[0];

/** Chooses the proxy that golang.org/x/net/http/httpproxy 0.57 chooses. */
const chooses = test.macro({
  exec(t, env: Environment, url: string, proxy: string | undefined) {
    t.is(proxyChooser(env)(new URL(url))?.href, proxy);
  },
  title: (_, env: Environment, url: string, proxy: string | undefined) =>
    `${url} goes ${proxy === undefined ? 'to no proxy' : `to ${proxy}`} with ${JSON.stringify(env)}`,
});

const each = 'http://a.example';
test(chooses, {}, each, undefined);
test(chooses, { HTTP_PROXY: 'http://p:1' }, each, 'http://p:1/');
test(chooses, { http_proxy: 'http://p:1' }, each, 'http://p:1/');
test(chooses, { HTTP_PROXY: 'http://p:1', http_proxy: '' }, each, 'http://p:1/');
test(chooses, { HTTP_PROXY: '', http_proxy: 'http://p:1' }, each, 'http://p:1/');
test(chooses, { HTTP_PROXY: 'http://p:1', http_proxy: 'http://q:1' }, each, 'http://p:1/');
test(chooses, { HTTP_PROXY: 'http://p:1' }, 'https://a.example', undefined);
test(chooses, { HTTPS_PROXY: 'http://p:1' }, each, undefined);
test(chooses, { HTTPS_PROXY: 'http://p:1' }, 'https://a.example', 'http://p:1/');
test(chooses, { HTTPS_PROXY: 'https://p', NO_PROXY: 'b.example' }, 'https://a.example:8443', 'https://p/');

for (const [value, proxy] of [
  ['127.0.0.1:3128', 'http://127.0.0.1:3128/'],
  ['localhost:3128', 'http://localhost:3128/'],
  ['p', 'http://p/'],
  ['u:secret@p:1', 'http://u:secret@p:1/'],
  ['HTTP://P:1', 'http://p:1/'],
] as const) {
  test(chooses, { HTTP_PROXY: value }, each, proxy);
}

for (const url of [
  'http://localhost',
  'http://localhost:8080',
  'http://127.0.0.1',
  'http://127.8.8.8:1',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
]) {
  test(chooses, { HTTP_PROXY: 'p:1' }, url, undefined);
}
for (const url of ['http://localhost.', 'http://x.localhost', 'http://[::2]']) {
  test(chooses, { HTTP_PROXY: 'p:1' }, url, 'http://p:1/');
}

const excepts = test.macro({
  exec(t, noProxy: string, url: string) {
    t.is(proxyChooser({ HTTP_PROXY: 'p:1', NO_PROXY: noProxy })(new URL(url)), undefined);
  },
  title: (_, noProxy: string, url: string) => `NO_PROXY "${noProxy}" excepts ${url}`,
});
const doesNotExcept = test.macro({
  exec(t, noProxy: string, url: string) {
    t.is(proxyChooser({ HTTP_PROXY: 'p:1', NO_PROXY: noProxy })(new URL(url))?.href, 'http://p:1/');
  },
  title: (_, noProxy: string, url: string) => `NO_PROXY "${noProxy}" does not except ${url}`,
});

test(excepts, '*', each);
test(excepts, 'b.example, *', 'http://192.0.2.1');
test(excepts, 'a.example', each);
test(excepts, ' b.example , A.Example ,', 'http://a.example:8080');
test(excepts, 'example', each);
test(excepts, 'a.example:', each);
test(excepts, 'a.example:80', each);
test(excepts, '.example', each);
test(excepts, '*.example', each);
test(excepts, '*.example:80', each);
test(excepts, 'bücher.example', 'http://bücher.example');
test(excepts, '.bücher.example', 'http://a.xn--bcher-kva.example');
test(excepts, '192.0.2.0/24', 'http://192.0.2.200:8080');
test(excepts, '192.0.2.0/024', 'http://192.0.2.1');
test(excepts, '192.0.2.1', 'http://192.0.2.1:8080');
test(excepts, '192.0.2.1:8080', 'http://192.0.2.1:8080');
test(excepts, '192.0.2.0/24', 'http://[::ffff:192.0.2.1]');
test(excepts, '::ffff:192.0.2.1', 'http://192.0.2.1');
test(excepts, '2001:db8::1', 'http://[2001:db8::1]');
test(excepts, '2001:db8::/32', 'http://[2001:db8:1::1]');
test(excepts, '[2001:db8::1]:80', 'http://[2001:db8::1]');

test(doesNotExcept, '', each);
test(doesNotExcept, ',', 'http://a.example.');
test(doesNotExcept, ':80', each);
test(doesNotExcept, '*:80', each);
test(doesNotExcept, 'a.example b.example', each);
test(doesNotExcept, 'a.example.', each);
test(doesNotExcept, 'a.example', 'http://a.example.');
test(doesNotExcept, 'a.example', 'http://aa.example');
test(doesNotExcept, 'a.example:81', each);
test(doesNotExcept, '.a.example', each);
test(doesNotExcept, '*.a.example', each);
test(doesNotExcept, '0.0.0.0/0', each);
test(doesNotExcept, '192.0.2.0/33', 'http://192.0.2.0');
test(doesNotExcept, '192.0.2.1:81', 'http://192.0.2.1');
test(doesNotExcept, '2', 'http://192.0.2.2');
test(doesNotExcept, '[2001:db8::1]', 'http://[2001:db8::1]');
test(doesNotExcept, 'fe80::1%eth0', each);

const refuses = test.macro({
  exec(t, name: string, value: string) {
    const proxyFor = proxyChooser({ [name]: value, NO_PROXY: 'b.example' });
    t.throws(() => proxyFor(new URL(each)), { message: `${name} must be the URL of an http or https proxy` });
    t.is(proxyFor(new URL('http://b.example')), undefined);
  },
  title: (_, name: string, value: string) => `refuses the proxy ${value} of ${name} when it is needed`,
});
test(refuses, 'HTTP_PROXY', '://');
test(refuses, 'http_proxy', 'http://');
test(refuses, 'HTTP_PROXY', ' p:1');
test(refuses, 'HTTP_PROXY', 'ftp://p');
test(refuses, 'HTTP_PROXY', 'socks5://user:secret@p:1');
test(refuses, 'HTTP_PROXY', 'http://user:%zz@p:1');

test('chooses a SOCKS5 proxy if its user knows that scheme', (t) => {
  const choose = (value: string) => proxyChooser({ HTTP_PROXY: value }, ['http', 'socks5'])(new URL(each))?.href;
  t.is(choose('socks5://user:secret@p:1'), 'socks5://user:secret@p:1');
  t.is(choose('p:1'), 'http://p:1/');
  const message = 'HTTP_PROXY must be the URL of an http or socks5 proxy';
  for (const value of ['https://p', 'socks5://', 'socks5://user:%zz@p:1']) t.throws(() => choose(value), { message });
});
