const atom = String.raw`[\w!#$%&'*+\-/=?^\`{|}~\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef]+`;
const label = String.raw`[a-z\d\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef](?:[\w\-.~\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef]*[a-z\d\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef])?`;
const topLabel = String.raw`[a-z\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef](?:[\w\-.~\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef]*[a-z\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef])?`;
const email = new RegExp(String.raw`^${atom}(?:\.${atom})*@${label}\.${topLabel}\.?$`, 'i');

/** More than any mail server accepts. */
const longestEmail = 1000;

/** Whether Helm accepts a text as an e-mail address. */
export function isEmail(text: string): boolean {
  return text.length <= longestEmail && email.test(text);
}

const webAddress =
  /^(?:(?:ftp|tcp|udp|wss?|https?):\/\/)?(?:\S+@)?(?:\[[\da-f:.]+\]|[a-z0-9\u00a1-\uffff](?:[\w\u00a1-\uffff-]*[a-z0-9\u00a1-\uffff])?(?:\.[a-z0-9\u00a1-\uffff](?:[\w\u00a1-\uffff-]*[a-z0-9\u00a1-\uffff])?)*)\.?(?::\d{1,5})?(?:[/?#]\S*)?$/i;

/** Whether Helm accepts a text as a web address. The scheme is optional. */
export function isWebAddress(text: string): boolean {
  if (text.length <= 3 || text.length >= 2083 || text.startsWith('.') || !webAddress.test(text)) return false;
  const host = text.replace(/^[a-z]+:\/\//i, '').split(/[/?#]/, 1)[0] ?? '';
  return text.includes(':') || host !== text || host.includes('.');
}

/** Whether Go's `url.ParseRequestURI` accepts a text and finds a scheme in it. */
export function isRequestUrl(text: string): boolean {
  const parts = /^[a-z][a-z0-9+.-]*:([^]*)$/i.exec(text);
  const rest = parts?.[1];
  if (rest === undefined || /[\u0000-\u001f\u007f]/.test(text)) return false;
  const [path = ''] = rest.split('?', 1);
  if (/%(?![\da-f]{2})/i.test(path)) return false;
  const authority = /^\/\/([^/]*)/.exec(path)?.[1];
  return authority === undefined || isAuthority(authority);
}

function isAuthority(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return host.startsWith('[') ? /^\[[^\]]+\](?::\d*)?$/.test(host) : /^[^\s:\\^`{|}#?[\]]*(?::\d*)?$/.test(host);
}
