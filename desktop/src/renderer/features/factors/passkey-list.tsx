// Passkeys of the account: a list, and the dialogs that add, rename and remove one.
import {
  addPasskey,
  beginPasskey,
  type Passkey,
  removePasskey,
  renamePasskey,
} from '@recordproof/shared/api/passkeys.ts';
import { securityWords } from '@recordproof/shared/words/app-security.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { AskDialog, Dialog } from '../../ui/dialog.tsx';
import { ActionForm, Field } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { canUsePasskeys, makePasskey, needsName } from './passkeys.ts';

type Props = {
  readonly passkeys: readonly Passkey[];
  /** The address of the server has a name that they can be bound to. */
  readonly work: boolean;
  readonly mustKeepOne: boolean;
  readonly onChanged: () => void;
  readonly onCodes: (codes: readonly string[]) => void;
};

export function Passkeys({ passkeys, work, mustKeepOne, onChanged, onCodes }: Props) {
  const texts = useWords(securityWords);
  const bridge = useBridge();
  const { call } = bridge;
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Passkey | null>(null);
  const [renamed, setRenamed] = useState<Passkey | null>(null);
  const done = (codes: readonly string[] | null) => {
    setAdding(false);
    onChanged();
    if (codes !== null) onCodes(codes);
  };
  const rename = async ({ id }: Passkey, name: string) => {
    await call(renamePasskey, { params: { id }, body: { name } });
    setRenamed(null);
    onChanged();
  };
  const remove = async (passkey: Passkey) => {
    await call(removePasskey, { params: { id: passkey.id } });
    onChanged();
  };
  return (
    <>
      <h3>{texts.passkeys}</h3>
      <p className="quiet">{work ? texts.passkeysText : texts.passkeysFail}</p>
      {work && needsName(bridge) && <p className="note">{texts.passkeysByName}</p>}
      {passkeys.length === 0 && work && <p className="quiet small">{texts.noPasskeys}</p>}
      <ul className="saved">
        {passkeys.map(passkey => (
          <PasskeyLine
            key={passkey.id}
            passkey={passkey}
            isKept={mustKeepOne && passkeys.length === 1}
            onRename={() => setRenamed(passkey)}
            onRemove={() => setRemoved(passkey)}
          />
        ))}
      </ul>
      {work && canUsePasskeys(bridge) && (
        <div className="actions">
          <Button label={texts.addPasskey} variant="plain" onClick={() => setAdding(true)} />
        </div>
      )}
      {isAdding && <AddPasskey onAdded={done} onClose={() => setAdding(false)} />}
      {renamed && (
        <NamePasskey
          title={texts.renamePasskey(renamed.name)}
          first={renamed.name}
          submit={texts.rename}
          act={name => rename(renamed, name)}
          onClose={() => setRenamed(null)}
        />
      )}
      {removed && (
        <AskDialog
          title={texts.removePasskeyAsk(removed.name)}
          text={texts.removePasskeyText}
          yes={texts.remove}
          act={() => remove(removed)}
          onClose={() => setRemoved(null)}
        />
      )}
    </>
  );
}

type Line = {
  readonly passkey: Passkey;
  readonly isKept: boolean;
  readonly onRename: () => void;
  readonly onRemove: () => void;
};

function PasskeyLine({ passkey: { name, createdAt, lastUsedAt }, isKept, onRename, onRemove }: Line) {
  const texts = useWords(securityWords);
  const language = useLanguage();
  return (
    <li>
      <div>
        <bdi>{name}</bdi>
        <div className="quiet small">
          {lastUsedAt === null
            ? texts.passkeyAdded(formatTime(createdAt, language))
            : texts.passkeyUsed(formatTime(lastUsedAt, language))}
        </div>
      </div>
      <Button label={texts.rename} variant="plain" aria-label={texts.renamePasskey(name)} onClick={onRename} />
      <Button
        label={texts.remove}
        variant="plain"
        disabled={isKept}
        aria-label={texts.removePasskey(name)}
        onClick={onRemove}
      />
    </li>
  );
}

type Adding = { readonly onAdded: (codes: readonly string[] | null) => void; readonly onClose: () => void };

function AddPasskey({ onAdded, onClose }: Adding) {
  const texts = useWords(securityWords);
  const { call } = useBridge();
  const add = async (name: string) => {
    const { options } = await call(beginPasskey);
    const credential = await makePasskey(options);
    const { recoveryCodes } = await call(addPasskey, { body: { name, credential } });
    onAdded(recoveryCodes);
  };
  return <NamePasskey title={texts.addPasskey} submit={texts.add} act={add} onClose={onClose} />;
}

type Naming = {
  readonly title: string;
  readonly first?: string;
  readonly submit: string;
  readonly act: (name: string) => Promise<void>;
  readonly onClose: () => void;
};

function NamePasskey({ title, first = '', submit, act, onClose }: Naming) {
  const texts = useWords(securityWords);
  const [name, setName] = useState(first);
  const action = useAction(() => act(name.trim()));
  return (
    <Dialog title={title} onClose={onClose}>
      <ActionForm action={action} submit={submit} inRow>
        <Field
          label={texts.passkeyName}
          hint={texts.passkeyHint}
          value={name}
          onText={setName}
          maxLength={50}
          required
          autoFocus
        />
      </ActionForm>
    </Dialog>
  );
}
