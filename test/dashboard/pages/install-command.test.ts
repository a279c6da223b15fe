import test from 'ava';
import { installCommand, parseLabels } from '../../../src/dashboard/pages/install-command.ts';

const invitation = {
  agentId: 'edge-1',
  url: 'wss://hub.example',
  token: 'hae_x',
  chart: 'deploy/helm-agent',
  replacesKey: false,
};

test('returns the command that installs an agent', (t) => {
  t.is(
    installCommand(invitation),
    [
      'helm install helm-agent deploy/helm-agent',
      '--namespace helm-agent --create-namespace',
      '--set-string controlPlane.url=wss://hub.example',
      '--set-string agentId=edge-1',
      '--set-string enrolment.token=hae_x',
    ].join(' \\\n  '),
  );
});

test('keeps the values of an agent that is installed, and says if its packets are not encrypted', (t) => {
  const command = installCommand({ ...invitation, url: 'ws://10.0.0.1:8088', replacesKey: true });
  t.regex(command, /^helm upgrade --install --reuse-values helm-agent /);
  t.regex(command, /--set controlPlane\.insecureTransport=true$/);
});

test('a text that is not a URL ends no argument and no value', (t) => {
  const command = installCommand({ ...invitation, url: "wss://x,a=b'; rm -rf /", chart: '$(reboot)' });
  t.true(command.includes(`--set-string 'controlPlane.url=wss://x\\,a=b'\\''; rm -rf /'`));
  t.true(command.includes(`'$(reboot)'`));
});

test('reads labels, and names one that is wrong', (t) => {
  t.deepEqual(parseLabels(' site=berlin, tier=a=b,,'), { site: 'berlin', tier: 'a=b' });
  t.deepEqual(parseLabels(''), {});
  t.throws(() => parseLabels('site'), { message: 'site is not of the form KEY=VALUE' });
});
