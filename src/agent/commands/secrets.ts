const SHORTEST = 4;
const MASK = '***';

/** Takes a command's secrets out of text that leaves the process. */
export type Mask = (text: string) => string;

interface SecretFields {
  repoPassword?: string | undefined;
  repoUrl?: string | undefined;
  chartName?: string | undefined;
}

/** Returns the mask for a command's payload: its password, and the passwords in its URLs. */
export function maskFor({ repoPassword, repoUrl, chartName }: SecretFields): Mask {
  const secrets = [repoPassword, ...passwordsInUrl(repoUrl), ...passwordsInUrl(chartName)]
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
