import * as z from 'zod';
import type { CommandTable } from '../../protocol/commands/table.ts';
import type { ApiRoute } from '../http-json.ts';

/** Returns the route of the document that describes all routes and commands. */
export function openApiRoute(routes: readonly ApiRoute[], table: CommandTable): ApiRoute {
  let text: Promise<string> | undefined;
  const route: ApiRoute = {
    method: 'GET',
    path: '/api/openapi.json',
    audience: 'users',
    name: 'getOpenApi',
    summary: 'Returns this document',
    responses: { 200: { description: 'An OpenAPI 3.1 document', schema: z.looseObject({ openapi: z.string() }) } },
    async handler(_request, response) {
      text ??= documentText([...routes, route], table);
      response.writeHead(200, { 'content-type': 'application/json' }).end(await text);
    },
  };
  return route;
}

/** The document is loaded by the first request for it, and kept. */
async function documentText(routes: readonly ApiRoute[], table: CommandTable): Promise<string> {
  const { openApiDocument } = await import('./openapi-document.ts');
  return `${JSON.stringify(openApiDocument({ routes, table }))}\n`;
}
