// Saved servers and accounts: choose, add, remove.
import { programWords } from '@recordproof/shared/words/app-program.ts';
import { useState } from 'react';
import type { SavedServer, ShellBridge } from '../../../bridge/bridge.ts';
import { useWatched, useWords } from '../../context.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Field, Form } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

export function Servers({ shell }: { readonly shell: ShellBridge }) {
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
  const [isAsking, setAsking] = useState(false);
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
        <button
          type="button"
          className="plain"
          disabled={choose.isBusy}
          aria-label={`${texts.use}: ${username ?? ''} ${url}`}
          onClick={() => choose.run()}
        >
          {texts.use}
        </button>
      )}
      {!isOnly && (
        <button
          type="button"
          className="danger"
          aria-label={`${texts.remove}: ${username ?? ''} ${url}`}
          onClick={() => setAsking(true)}
        >
          {texts.remove}
        </button>
      )}
      {isAsking && (
        <AskDialog
          title={texts.removeAsk(url)}
          text={texts.removeText}
          yes={texts.remove}
          act={() => shell.removeServer(id)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function AddServer({ shell }: { readonly shell: ShellBridge }) {
  const texts = useWords(programWords);
  const [url, setUrl] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    await shell.addServer(url.trim());
    setUrl('');
  });
  return (
    <Form onSend={run}>
      <Field label={texts.address} hint={texts.addressHint} value={url} onText={setUrl} required maxLength={2000} />
      <Problem error={error} />
      <div className="actions">
        <button type="submit" className="plain" disabled={isBusy}>
          {texts.add}
        </button>
      </div>
    </Form>
  );
}
