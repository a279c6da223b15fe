const shortestSecret = 4;
const maskText = '***';

/** Replaces a command's secrets in text that leaves the process. */
export type Mask = (text: string) => string;

/** Returns the mask for a command's payload: its password, and the passwords in its URLs. */
export function maskFor(payload: object): Mask {
  const password = 'repoPassword' in payload ? payload.repoPassword : undefined;
  const url = 'repoUrl' in payload ? payload.repoUrl : undefined;
  const chart = 'chartName' in payload ? payload.chartName : undefined;
  const secrets = [password, ...passwordsInUrl(url), ...passwordsInUrl(chart)]
    .filter((secret) => typeof secret === 'string')
    .filter((secret) => secret.length >= shortestSecret)
    .flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())]);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, maskText), text);
}

function passwordsInUrl(url: unknown): string[] {
  if (typeof url !== 'string' || !URL.canParse(url)) return [];
  const { password } = new URL(url);
  return password ? [password, safeDecode(password)] : [];
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
