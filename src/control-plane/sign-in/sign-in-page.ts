import type { ServerResponse } from 'node:http';

/** Nothing of the page is loaded from elsewhere, runs, or can be shown in another page. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const unreadTimeoutMs = 30_000;

/** Says in a page why a person could not sign in, with a link to try again. */
export function sendFailurePage(response: ServerResponse, status: number, problem: string): void {
  const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign-in failed</title></head>
<body>
<h1>You are not signed in</h1>
<p>${escaped(problem)}.</p>
<p><a href="/sign-in">Sign in again</a></p>
</body>
</html>
`;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(page) });
  response.setTimeout(unreadTimeoutMs, () => response.destroy());
  response.end(page);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
