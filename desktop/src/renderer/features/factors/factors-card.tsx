// Second factor of the account: what is set up, and the dialogs that change it.
import { ownFactors, renewRecoveryCodes } from '@recordproof/shared/api/factors.ts';
import { beginTotp, confirmTotp, removeTotp } from '@recordproof/shared/api/one-time-codes.ts';
import { securityWords } from '@recordproof/shared/words/app-security.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { AskDialog, Dialog } from '../../ui/dialog.tsx';
import { ActionForm } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { Facts } from '../../ui/panes.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import { AppToSetUp, CodeField, RecoveryCodes } from './factor-fields.tsx';
import { Passkeys } from './passkey-list.tsx';

type Opened =
  | { readonly kind: 'set-up' | 'renew' | 'remove' }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

export function FactorsCard() {
  const texts = useWords(securityWords);
  const { loading } = useTexts();
  const language = useLanguage();
  const { call } = useBridge();
  const { state, reload } = useLoad('factors', signal => call(ownFactors, { signal }));
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => {
    setOpened(null);
    reload();
  };
  if (state.kind !== 'ready')
    return (
      <section className="card form">
        <h2>{texts.factors}</h2>
        {state.kind === 'loading' ? <p className="quiet">{loading}</p> : <Problem error={state.error} />}
      </section>
    );
  const { totp, recoveryCodesLeft, required, enrolBy, passkeys, passkeysWork } = state.value;
  const hasFactor = totp !== null || passkeys.length > 0;
  return (
    <section className="card form">
      <h2>{texts.factors}</h2>
      <p className="quiet">{texts.factorsText}</p>
      {required && (
        <p className="note">
          {!hasFactor && enrolBy !== null ? texts.enrolBy(formatTime(enrolBy, language)) : texts.required}
        </p>
      )}
      <Facts
        of={{
          [texts.totp]: totp === null ? texts.totpOff : texts.totpSince(formatTime(totp.since, language)),
          [texts.codesTitle]: hasFactor && texts.codesLeft(recoveryCodesLeft),
        }}
      />
      <div className="actions">
        <Button
          label={totp === null ? texts.setUp : texts.setUpAgain}
          variant="plain"
          onClick={() => setOpened({ kind: 'set-up' })}
        />
        {totp !== null && (
          <Button
            label={texts.remove}
            variant="danger"
            disabled={required && passkeys.length === 0}
            onClick={() => setOpened({ kind: 'remove' })}
          />
        )}
        {hasFactor && <Button label={texts.renew} variant="plain" onClick={() => setOpened({ kind: 'renew' })} />}
      </div>
      <Passkeys
        passkeys={passkeys}
        work={passkeysWork}
        mustKeepOne={required && totp === null}
        onChanged={reload}
        onCodes={codes => setOpened({ kind: 'codes', codes })}
      />
      {opened && (
        <Change
          opened={opened}
          hasPasskey={passkeys.length > 0}
          onCodes={codes => setOpened({ kind: 'codes', codes })}
          onClose={close}
        />
      )}
    </section>
  );
}

type ChangeProps = {
  readonly opened: Opened;
  readonly hasPasskey: boolean;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onClose: () => void;
};

function Change({ opened, hasPasskey, onCodes, onClose }: ChangeProps) {
  const texts = useWords(securityWords);
  const { call } = useBridge();
  const renew = async () => onCodes((await call(renewRecoveryCodes)).recoveryCodes);
  switch (opened.kind) {
    case 'set-up':
      return <SetUpDialog onCodes={onCodes} onClose={onClose} />;
    case 'codes':
      return (
        <Dialog title={texts.codesTitle} onClose={onClose}>
          <RecoveryCodes codes={opened.codes} onKept={onClose} />
        </Dialog>
      );
    case 'renew':
      return <RenewDialog renew={renew} onClose={onClose} />;
    case 'remove':
      return (
        <AskDialog
          title={texts.removeAsk}
          text={hasPasskey ? texts.removeTextPasskeys : texts.removeText}
          yes={texts.remove}
          act={() => call(removeTotp)}
          onClose={onClose}
        />
      );
  }
}

/** Stays open until the codes are there: they come in its place. */
function RenewDialog({ renew, onClose }: { readonly renew: () => Promise<void>; readonly onClose: () => void }) {
  const texts = useWords(securityWords);
  const { cancel } = useTexts();
  const { run, isBusy, error } = useAction(renew);
  return (
    <Dialog title={texts.renewAsk} onClose={onClose}>
      <div className="form">
        <p>{texts.renewText}</p>
        <Problem error={error} />
        <div className="actions">
          <Button label={texts.renew} disabled={isBusy} onClick={() => run()} />
          <Button label={cancel} variant="plain" onClick={onClose} />
        </div>
      </div>
    </Dialog>
  );
}

function SetUpDialog({ onCodes, onClose }: Pick<ChangeProps, 'onCodes' | 'onClose'>) {
  const texts = useWords(securityWords);
  const { call } = useBridge();
  const [code, setCode] = useState('');
  const { state } = useLoad('new-totp', signal => call(beginTotp, { signal }));
  const action = useAction(async () => {
    const { recoveryCodes } = await call(confirmTotp, { body: { code: code.trim() } });
    if (recoveryCodes === null) onClose();
    else onCodes(recoveryCodes);
  });
  return (
    <Dialog title={texts.setUp} onClose={onClose}>
      {state.kind === 'loading' && <Loading />}
      {state.kind === 'failed' && <Problem error={state.error} />}
      {state.kind === 'ready' && (
        <ActionForm action={action} submit={texts.confirm} inRow>
          <AppToSetUp {...state.value} />
          <CodeField label={texts.firstCode} value={code} onText={setCode} />
        </ActionForm>
      )}
    </Dialog>
  );
}
