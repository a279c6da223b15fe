/** The user name and password for a registry. With a token only, the user name is empty. */
export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}
