import { valueOfPlain } from '../../../release/plain-value.ts';
import { table } from '../../table.ts';
import { oneLine } from '../../text.ts';
import type { RoleRequest, UserToken, WhoAmI } from '../api-client.ts';
import type { Output } from './format.ts';

/** Returns the tokens. JSON and YAML have all that the control plane says about them. */
export function tokensOutput(tokens: readonly UserToken[]): Output {
  return {
    table() {
      const rows = tokens.map(({ id, name, expiresAt, createdBy = '', roles }) =>
        [id, name, expiresAt, createdBy, rolesText(roles)].map(oneLine),
      );
      return `${table([['ID', 'NAME', 'EXPIRES AT', 'CREATED BY', 'ROLES'], ...rows]).join('\n')}\n`;
    },
    data: () => tokens.map(valueOfPlain),
  };
}

/** Returns lines about the user of the requests. */
export function whoamiText({ name, roles, expiresAt }: WhoAmI): string {
  const end = expiresAt === undefined ? '' : `, until ${oneLine(expiresAt)}`;
  return [`${oneLine(name)}${end}`, ...roles.map((role) => `  ${oneLine(roleText(role))}`)]
    .map((line) => `${line}\n`)
    .join('');
}

function rolesText(roles: readonly RoleRequest[]): string {
  return roles.map(roleText).join('; ');
}

function roleText({ rights, agents, labels, namespaces, releases }: RoleRequest): string {
  const limits = [
    ['agents', agents?.join(',')],
    ['labels', labels],
    ['namespaces', namespaces?.join(',')],
    ['releases', releases?.join(',')],
  ].flatMap(([name, limit]) => (limit === undefined ? [] : [`${name ?? ''} ${limit}`]));
  return [rights.join(','), ...limits].join(' ');
}
