import { useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';
import { useApp } from '../parts/app-context.ts';
import { ErrorMessage } from '../parts/message.tsx';
import { Tabs, useTab } from '../parts/tabs.tsx';
import { TextField } from '../parts/text-field.tsx';
import { hrefOf } from '../route/route.ts';
import type { Rollout } from '../server/types.ts';
import { emptyRollout, parseRequest, type RolloutFields, rolloutRequest } from './rollout-request.ts';

const tabs = [
  ['form', 'Form'],
  ['json', 'JSON'],
] as const;

/** Starts a rollout from a form, or from the JSON of a request. */
export function StartRolloutView() {
  const { api, location } = useApp();
  const tab = useTab(tabs);
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const start = async (read: () => object) => {
    setError(undefined);
    setBusy(true);
    try {
      const { id } = await api.send<Rollout>('POST', '/api/rollouts', read());
      location.go(hrefOf('rollout', { rollout: id }));
    } catch (reason) {
      setError(asError(reason));
      setBusy(false);
    }
  };
  const footer = (
    <>
      {error && <ErrorMessage error={error} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Start the rollout
        </button>
      </div>
    </>
  );
  return (
    <>
      <div class="crumbs">
        <a href={hrefOf('rollouts', {})}>Rollouts</a> /
      </div>
      <div class="heading">
        <h1>Start a rollout</h1>
      </div>
      <Tabs label="Ways to start a rollout" tabs={tabs} />
      {tab === 'json' ? (
        <JsonForm onStart={start}>{footer}</JsonForm>
      ) : (
        <FieldsForm onStart={start}>{footer}</FieldsForm>
      )}
    </>
  );
}

interface FormProps {
  onStart: (read: () => object) => Promise<void>;
  children: preact.ComponentChildren;
}

function FieldsForm({ onStart, children }: FormProps) {
  const [fields, setFields] = useState(emptyRollout);
  const [choices, setChoices] = useState({ plan: false, approval: false, test: false });
  const text = (name: keyof RolloutFields, label: string, placeholder: string, isRequired = false) => (
    <TextField
      {...{ name, label, placeholder, isRequired }}
      value={fields[name]}
      onInput={(value) => setFields({ ...fields, [name]: value })}
    />
  );
  const check = (name: keyof typeof choices, label: string) => (
    <label class="choice">
      <input
        type="checkbox"
        name={name}
        checked={choices[name]}
        onChange={(event) => setChoices({ ...choices, [name]: event.currentTarget.checked })}
      />
      {label}
    </label>
  );
  return (
    <form
      class="narrow"
      onSubmit={(event) => {
        event.preventDefault();
        void onStart(() => rolloutRequest(fields, choices));
      }}
    >
      <section>
        <h2>What is deployed</h2>
        <div class="pairs">
          {text('releaseName', 'Release', 'web', true)}
          {text('namespace', 'Namespace', 'default')}
          {text('chartName', 'Chart', 'web', true)}
          {text('version', 'Version of the chart', 'the newest')}
        </div>
        <div class="fields-of-form">
          {text('repoUrl', 'Repository', 'https://charts.example.com')}
          <label>
            <span>Values, as YAML</span>
            <textarea
              name="values"
              rows={5}
              spellcheck={false}
              value={fields.values}
              onInput={(event) => setFields({ ...fields, values: event.currentTarget.value })}
            />
          </label>
        </div>
      </section>
      <section>
        <h2>Where</h2>
        <div class="pairs">
          {text('agents', 'Agents, with * for any text', 'edge-*, shop-berlin')}
          {text('labels', 'Labels', 'tier=edge')}
        </div>
      </section>
      <section>
        <h2>How</h2>
        <div class="pairs">
          {text('waves', 'Sizes of the waves', '1, 10%, rest', true)}
          {text('soak', 'Time between two waves', 'none')}
          {text('maxFailures', 'Failures of a wave that stop it, if there are more', '0', true)}
          {text('id', 'Name of the rollout', 'a random one')}
        </div>
        <div class="fields-of-form">
          {check('plan', 'All clusters make plans first, and nothing changes before someone approves them')}
          {check('approval', 'Each wave but the first waits until someone approves it')}
          {check('test', 'The tests of the release run in each cluster')}
        </div>
      </section>
      {children}
    </form>
  );
}

function JsonForm({ onStart, children }: FormProps) {
  const [text, setText] = useState('');
  return (
    <form
      class="narrow fields-of-form"
      onSubmit={(event) => {
        event.preventDefault();
        void onStart(() => parseRequest(text));
      }}
    >
      <label>
        <span>The request, with all that a rollout can have: differences, windows, rules of waves</span>
        <textarea
          name="request"
          rows={18}
          spellcheck={false}
          required
          placeholder={example}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {children}
    </form>
  );
}

const example = `{
  "labels": "tier=edge",
  "payload": {
    "releaseName": "web", "namespace": "shop",
    "chartName": "web", "repoUrl": "https://charts.example.com"
  },
  "waves": [{ "size": 1 }, { "size": "10%", "approval": true }, {}],
  "soak": "10m"
}`;
