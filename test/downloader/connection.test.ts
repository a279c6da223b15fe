import test from 'ava';
import { get } from '../../src/downloader/connection.ts';
import { serve } from '../source/test-repository.ts';

test('an error of a download has neither the password nor the query of its URL', async (t) => {
  const { url } = await serve(t, {
    '/loop': (request, response) => response.writeHead(302, { location: request.url }).end(),
  });
  const address = `${url.replace('//', '//ada:sentinel@')}/loop?token=sentinel`;
  const access = { url, username: '', password: '', passCredentials: false, dispatcher: undefined };
  const { message } = await t.throwsAsync(get(address, access, new AbortController().signal));
  t.regex(message, /too many redirects/);
  t.notRegex(message, /sentinel/);
});
