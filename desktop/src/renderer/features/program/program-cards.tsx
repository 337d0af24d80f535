// Settings of the desktop app: servers, start with the system, tray.
import type { ShellBridge, ShellSettings } from '../../../bridge/bridge.ts';
import { useWatched } from '../../context.ts';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { Servers } from './servers.tsx';
import { useProgramTexts } from './use-program-texts.ts';

export function ProgramCards({ shell }: { readonly shell: ShellBridge }) {
  const say = useProgramTexts();
  return (
    <>
      <section className="card form">
        <h2>{say.servers}</h2>
        <p className="quiet">{say.lead}</p>
        <Servers shell={shell} />
      </section>
      <Settings shell={shell} />
    </>
  );
}

type Switch = 'startsWithSystem' | 'closesToTray';

function Settings({ shell }: { readonly shell: ShellBridge }) {
  const say = useProgramTexts();
  const settings = useWatched(shell.settings);
  const { run, isBusy, error } = useAction((change: Partial<ShellSettings>) => shell.changeSettings(change));
  const texts: Readonly<Record<Switch, string>> = {
    startsWithSystem: say.starts,
    closesToTray: say.tray,
  };
  return (
    <section className="card form">
      <h2>{say.program}</h2>
      {(Object.keys(texts) as Switch[]).map(name => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={settings[name]}
            disabled={isBusy}
            onChange={event => run({ [name]: event.target.checked })}
          />
          {texts[name]}
        </label>
      ))}
      {!shell.canKeepTokens && <p className="note">{say.noKeyring}</p>}
      <Problem error={error} />
    </section>
  );
}
