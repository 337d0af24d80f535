// Settings of the desktop app: servers, start with the system, tray.
import { programWords } from '@recordproof/shared/words/app-program.ts';
import { useState } from 'react';
import type { SavedServer, ShellBridge, ShellSettings } from '../../../bridge/bridge.ts';
import { useWatched, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { AskButton } from '../../ui/dialog.tsx';
import { ActionForm, Checkbox, Field } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

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
        <Checkbox
          key={name}
          label={labels[name]}
          checked={settings[name]}
          disabled={isBusy}
          onCheck={isOn => run({ [name]: isOn })}
        />
      ))}
      {!shell.canKeepTokens && <p className="note">{texts.noKeyring}</p>}
      <Problem error={error} />
    </section>
  );
}

function Servers({ shell }: { readonly shell: ShellBridge }) {
  const servers = useWatched(shell.servers);
  return (
    <>
      <ul className="saved">
        {servers.map(server => (
          <li key={server.id}>
            <Saved server={server} shell={shell} isOnly={servers.length === 1} />
          </li>
        ))}
      </ul>
      <AddServer shell={shell} />
    </>
  );
}

type SavedProps = { readonly server: SavedServer; readonly shell: ShellBridge; readonly isOnly: boolean };

function Saved({ server: { id, url, username, isCurrent }, shell, isOnly }: SavedProps) {
  const texts = useWords(programWords);
  const name = `${username ?? ''} ${url}`;
  const choose = useAction(() => shell.chooseServer(id));
  return (
    <>
      <div>
        <p className="cut">{url}</p>
        <p className="quiet small">
          {username ?? texts.signedOut}
          {isCurrent && ` · ${texts.current}`}
        </p>
        <Problem error={choose.error} />
      </div>
      {!isCurrent && (
        <Button label={texts.use} of={name} variant="plain" disabled={choose.isBusy} onClick={() => choose.run()} />
      )}
      {!isOnly && (
        <AskButton
          label={texts.remove}
          of={name}
          title={texts.removeAsk(url)}
          text={texts.removeText}
          act={() => shell.removeServer(id)}
        />
      )}
    </>
  );
}

function AddServer({ shell }: { readonly shell: ShellBridge }) {
  const texts = useWords(programWords);
  const [url, setUrl] = useState('');
  const action = useAction(async () => {
    await shell.addServer(url.trim());
    setUrl('');
  });
  return (
    <ActionForm action={action} submit={texts.add} variant="plain" inRow>
      <Field label={texts.address} hint={texts.addressHint} value={url} onText={setUrl} required maxLength={2000} />
    </ActionForm>
  );
}

export function ServerChoice({ shell }: { readonly shell: ShellBridge }) {
  const texts = useWords(programWords);
  const current = useWatched(shell.servers).find(({ isCurrent }) => isCurrent);
  return (
    <details className="elsewhere">
      <summary>
        {current?.url} · {texts.other}
      </summary>
      <div className="card form">
        <Servers shell={shell} />
      </div>
    </details>
  );
}
