import test from 'ava';
import { controlPlaneMetrics } from '../../src/metrics/control-plane-metrics.ts';
import { openMetrics } from '../../src/metrics/prometheus.ts';
import { eventually } from '../support/eventually.ts';
import { testPlane } from './support/plane.ts';
import { installed, rawAgent } from './support/raw-agent.ts';

test('a control plane counts agents and commands', async (t) => {
  const metrics = openMetrics(controlPlaneMetrics);
  const { plane, agentUrl } = await testPlane(t, {
    recorder: metrics.recorder,
    registeredAgents: () => ['edge-1', 'edge-2'],
  });
  const has = async (line: string) => (await metrics.text()).includes(`${line}\n`);
  const waiting = plane.install('edge-2', { releaseName: 'web', chartName: 'c' }, { deliverWithin: '1h' });
  await waiting.stored;
  t.true(await has('helm_agent_hub_agents{state="disconnected"} 2'));
  t.true(await has('helm_agent_hub_commands_open{state="waiting"} 1'));
  const agent = await rawAgent(agentUrl, { agentId: 'edge-1' });
  await plane.waitForAgent('edge-1');
  t.true(await has('helm_agent_hub_agents{state="connected"} 1'));
  t.true(await has('helm_agent_hub_connections_total 1'));
  const command = plane.install('edge-1', { releaseName: 'web', chartName: 'c' });
  const { key } = await agent.packet('install_release');
  agent.send('accepted', { durable: false }, key);
  await eventually('the command is accepted', () => has('helm_agent_hub_commands_open{state="accepted"} 1'));
  t.true(await has('helm_agent_hub_command_delivery_seconds_count 1'));
  agent.send('result', installed, key);
  await command.result;
  t.true(await has('helm_agent_hub_commands_total{type="install_release",result="success"} 1'));
  t.true(await has('helm_agent_hub_commands_open{state="accepted"} 0'));
  t.true(await has('helm_agent_hub_store_available 1'));
});
