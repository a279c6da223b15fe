import { useState } from 'preact/hooks';
import type { CommandParameters, CommandType } from '../../protocol/commands/index.ts';
import { useApp } from '../parts/app-context.ts';
import { Confirm } from '../parts/confirm.tsx';
import { hrefOf, type ReleasePlace } from '../route/route.ts';
import { sendCommand } from '../server/command.ts';
import { foreignName } from '../text/foreign-text.ts';

/** Returns a function that sends a command to the agent of a release, and shows the command. */
function useSend({ agent }: ReleasePlace) {
  const { api, location } = useApp();
  return async <Type extends CommandType>(type: Type, payload: CommandParameters[Type]) => {
    const command = await sendCommand(api, agent, type, payload);
    location.go(hrefOf('command', { command }));
  };
}

/** Buttons for the whole release. */
export function ReleaseActions({ place }: { place: ReleasePlace }) {
  const { namespace, release: releaseName } = place;
  const { session } = useApp();
  const send = useSend(place);
  const [asked, setAsked] = useState<'test' | 'uninstall'>();
  const close = () => setAsked(undefined);
  return (
    <div class="buttons">
      {session.hasRight('logs') && (
        <a class="button quiet" href={hrefOf('logs', place, { namespace, release: releaseName })}>
          Logs
        </a>
      )}
      {session.hasRight('exec') && (
        <a class="button quiet" href={hrefOf('terminal', place, { namespace, release: releaseName })}>
          Terminal
        </a>
      )}
      <button type="button" onClick={() => setAsked('test')}>
        Test
      </button>
      <button type="button" class="danger" onClick={() => setAsked('uninstall')}>
        Uninstall
      </button>
      {asked === 'test' && (
        <Confirm
          title={`Run the tests of ${foreignName(releaseName)}?`}
          action="Run the tests"
          onConfirm={() => send('test_release', { namespace, releaseName, logs: true })}
          onClose={close}
        >
          <p>The pods and Jobs that the chart names as tests are created in the cluster.</p>
        </Confirm>
      )}
      {asked === 'uninstall' && (
        <Confirm
          title={`Uninstall ${foreignName(releaseName)}?`}
          action="Uninstall"
          isDangerous
          onConfirm={() => send('uninstall_release', { namespace, releaseName })}
          onClose={close}
        >
          <p>
            All objects of the release in the namespace {foreignName(namespace)} are deleted, and so is its history.
          </p>
        </Confirm>
      )}
    </div>
  );
}

export interface RollbackDialogProps {
  place: ReleasePlace;
  version: number;
  onClose: () => void;
}

/** Asks before an older revision is deployed. */
export function RollbackDialog({ place, version, onClose }: RollbackDialogProps) {
  const { namespace, release: releaseName } = place;
  const send = useSend(place);
  return (
    <Confirm
      title={`Roll back ${foreignName(releaseName)} to revision ${version}?`}
      action="Roll back"
      onConfirm={() => send('rollback_release', { namespace, releaseName, version, wait: true })}
      onClose={onClose}
    >
      <p>The revision is deployed again as a new one, and the agent waits until it is ready.</p>
    </Confirm>
  );
}
