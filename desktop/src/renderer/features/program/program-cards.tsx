// Settings of the desktop app: servers, start with the system, tray.
import { programWords } from '@recordproof/shared/words/app-program.ts';
import type { ShellBridge, ShellSettings } from '../../../bridge/bridge.ts';
import { useWatched, useWords } from '../../context.ts';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { Servers } from './servers.tsx';

export function ProgramCards({ shell }: { readonly shell: ShellBridge }) {
  const texts = useWords(programWords);
  return (
    <>
      <section className="card form">
        <h2>{texts.servers}</h2>
        <p className="quiet">{texts.lead}</p>
        <Servers shell={shell} />
      </section>
      <Settings shell={shell} />
    </>
  );
}

type Switch = 'startsWithSystem' | 'closesToTray';

function Settings({ shell }: { readonly shell: ShellBridge }) {
  const texts = useWords(programWords);
  const settings = useWatched(shell.settings);
  const { run, isBusy, error } = useAction((change: Partial<ShellSettings>) => shell.changeSettings(change));
  const labels: Readonly<Record<Switch, string>> = {
    startsWithSystem: texts.starts,
    closesToTray: texts.tray,
  };
  return (
    <section className="card form">
      <h2>{texts.program}</h2>
      {(Object.keys(labels) as Switch[]).map(name => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={settings[name]}
            disabled={isBusy}
            onChange={event => run({ [name]: event.target.checked })}
          />
          {labels[name]}
        </label>
      ))}
      {!shell.canKeepTokens && <p className="note">{texts.noKeyring}</p>}
      <Problem error={error} />
    </section>
  );
}
