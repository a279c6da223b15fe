import { useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Secret } from '../parts/secret.tsx';
import { TextField } from '../parts/text-field.tsx';

const rights = ['read', 'deploy', 'act', 'logs', 'exec', 'support', 'admin'] as const;

/** Asks for the name and the role of a new token, and shows it once. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const { api } = useApp();
  const [fields, setFields] = useState({ name: '', agents: '', namespaces: '', expiresIn: '30d' });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['read']));
  const [token, setToken] = useState<string>();
  if (token !== undefined) return <Secret title="The token" text={token} onClose={onClose} />;
  const text = (name: keyof typeof fields, label: string, placeholder: string) => (
    <TextField
      {...{ name, label, placeholder, isRequired: name === 'name' }}
      value={fields[name]}
      onInput={(value) => setFields({ ...fields, [name]: value })}
    />
  );
  const toggle = (right: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(right);
    else next.delete(right);
    setChosen(next);
  };
  const create = async () => {
    const role = {
      rights: [...chosen],
      ...patterns('agents', fields.agents),
      ...patterns('namespaces', fields.namespaces),
    };
    const body = { name: fields.name.trim(), roles: [role], expiresIn: fields.expiresIn.trim() };
    const created = await api.send<{ token: string }>('POST', '/api/tokens', body);
    setToken(created.token);
  };
  return (
    <Confirm title="Create a token" action="Create" onConfirm={create} onClose={onClose} isOpenAfter>
      <div class="fields-of-form">
        {text('name', 'Name of the person or program', 'deploys@example.com')}
        <fieldset>
          <legend>Rights</legend>
          {rights.map((right) => (
            <label key={right} class="choice">
              <input
                type="checkbox"
                name={right}
                checked={chosen.has(right)}
                onChange={(event) => toggle(right, event.currentTarget.checked)}
              />
              {right}
            </label>
          ))}
        </fieldset>
        {text('agents', 'Agents, with * for any text', 'all; or edge-*, shop-berlin')}
        {text('namespaces', 'Namespaces', 'all; or shop, web-*')}
        {text('expiresIn', 'Ends after', '30d')}
      </div>
    </Confirm>
  );
}

/** Returns patterns that are separated by commas as a limit of a role. */
function patterns(name: 'agents' | 'namespaces', text: string): Record<string, string[]> {
  const all = text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  return all.length === 0 ? {} : { [name]: all };
}
