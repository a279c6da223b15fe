const SHORTEST = 4;
const MASK = '***';

/** Takes a command's secrets out of text that leaves the process. */
export type Mask = (text: string) => string;

/** The mask for a command's payload: its password, and credentials in its URL. */
export function maskFor(payload: { repoPassword?: string | undefined; repoUrl?: string | undefined }): Mask {
  const secrets = [payload.repoPassword, ...passwordsInUrl(payload.repoUrl)]
    .filter((secret) => secret !== undefined && secret.length >= SHORTEST)
    .flatMap((secret) => [secret ?? '', encodeURIComponent(secret ?? '')]);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

function passwordsInUrl(url: string | undefined): string[] {
  if (url === undefined || !URL.canParse(url)) return [];
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
