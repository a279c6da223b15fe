import * as z from 'zod';

/** The entry of a registry in the `auths` of Docker's config.json. */
export const authSchema = z.looseObject({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
  registrytoken: z.string().optional(),
});
type Auths = Readonly<Record<string, z.infer<typeof authSchema>>>;

/** Returns the name of a registry in `auths`. Docker Hub has an address of its own there. */
export function serverAddress(host: string): string {
  return host === 'docker.io' || host === 'registry-1.docker.io' ? 'https://index.docker.io/v1/' : host;
}

/** Returns the credentials for a server address, or undefined if there are none. */
export function credentialsInAuths(auths: Auths, address: string): RegistryCredentials | undefined {
  const own = Object.hasOwn(auths, address) ? auths[address] : undefined;
  const entry = own ?? Object.entries(auths).find(([key]) => hostOf(key) === address)?.[1];
  const { auth, username, password, identitytoken: identityToken = '', registrytoken: token = '' } = entry ?? {};
  const isComplete = username !== undefined && password !== undefined;
  const login = auth === undefined ? (isComplete ? { username, password } : undefined) : decodeAuth(auth);
  if (identityToken === '' && token === '') return login;
  const none = { username: '', password: '' };
  return { ...(login ?? none), ...(identityToken !== '' && { identityToken }), ...(token !== '' && { token }) };
}

/** Old files have URLs instead of hosts. */
function hostOf(key: string): string {
  return key.replace(/^https?:\/\//, '').replace(/\/.*$/s, '');
}

function decodeAuth(auth: string): RegistryCredentials | undefined {
  const [, username, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(auth, 'base64').toString()) ?? [];
  if (username === undefined || password === undefined) return undefined;
  return { username, password: password.replace(/(?<!\0)\0+$/, '') };
}

/** The credentials for a registry. With a token only, the user name is empty. */
export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
  /** Is exchanged for tokens at the registry's token service. */
  readonly identityToken?: string;
  /** Is sent to the registry as it is. */
  readonly token?: string;
}
