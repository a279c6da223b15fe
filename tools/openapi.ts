// The OpenAPI document of the control plane's REST API.
import { type ApiBackend, apiRoutesOf } from '../src/control-plane/api.ts';
import type { ApiRoute } from '../src/control-plane/http-json.ts';
import { silentLog } from '../src/control-plane/logger.ts';
import { type OpenApiDocument, openApiDocument } from '../src/control-plane/openapi/openapi-document.ts';
import { commandTable as table } from '../src/protocol/commands/index.ts';

/** Returns the routes of the API, whose handlers cannot be called. */
export function apiRoutes(): ApiRoute[] {
  const backend: Partial<ApiBackend> = { table };
  return apiRoutesOf(
    { ...(backend as ApiBackend), bodies: { maxBytes: 0, bytes: 0 } },
    { token: undefined },
    silentLog,
  ); // only handlers use the rest
}

/** Returns the document; see `OpenApiOptions` for `isClosed`. */
export function apiDocument({ isClosed = false }: { isClosed?: boolean } = {}): OpenApiDocument {
  return openApiDocument({ routes: apiRoutes(), table, isClosed });
}
