import type { Environment } from '../api/environment.ts';

/** Merges fields into the status of the object at a path. */
export async function patchStatus(api: Environment, path: string, status: object): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  const response = await api.raw('PATCH', `${path}/status`, { headers, body: { status } });
  if (response.status !== 200) throw new Error(response.text);
}
