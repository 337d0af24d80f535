// Second factor of the account: what is set up, and the dialogs that change it.

import { ownFactors, renewRecoveryCodes } from '@recordproof/shared/api/factors.ts';
import { beginTotp, confirmTotp, removeTotp } from '@recordproof/shared/api/one-time-codes.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { AskDialog, Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { Loading, Problem } from '../../ui/states.tsx';
import { AppToSetUp, CodeField, RecoveryCodes } from './factor-fields.tsx';
import { Passkeys } from './passkey-list.tsx';
import { useSecurityTexts } from './use-security-texts.ts';

type Opened =
  | { readonly kind: 'set-up' | 'renew' | 'remove' }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

export function FactorsCard() {
  const say = useSecurityTexts();
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
        <h2>{say.factors}</h2>
        {state.kind === 'loading' ? <p className="quiet">{loading}</p> : <Problem error={state.error} />}
      </section>
    );
  const { totp, recoveryCodesLeft, required, enrolBy, passkeys, passkeysWork } = state.value;
  const hasFactor = totp !== null || passkeys.length > 0;
  return (
    <section className="card form">
      <h2>{say.factors}</h2>
      <p className="quiet">{say.factorsText}</p>
      {required && (
        <p className="note">
          {!hasFactor && enrolBy !== null ? say.enrolBy(formatTime(enrolBy, language)) : say.required}
        </p>
      )}
      <dl className="facts">
        <dt>{say.totp}</dt>
        <dd>{totp === null ? say.totpOff : say.totpSince(formatTime(totp.since, language))}</dd>
        {hasFactor && (
          <>
            <dt>{say.codesTitle}</dt>
            <dd>{say.codesLeft(recoveryCodesLeft)}</dd>
          </>
        )}
      </dl>
      <div className="actions">
        <button type="button" className="plain" onClick={() => setOpened({ kind: 'set-up' })}>
          {totp === null ? say.setUp : say.setUpAgain}
        </button>
        {totp !== null && (
          <button
            type="button"
            className="danger"
            disabled={required && passkeys.length === 0}
            onClick={() => setOpened({ kind: 'remove' })}
          >
            {say.remove}
          </button>
        )}
        {hasFactor && (
          <button type="button" className="plain" onClick={() => setOpened({ kind: 'renew' })}>
            {say.renew}
          </button>
        )}
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
  const say = useSecurityTexts();
  const { call } = useBridge();
  const renew = async () => onCodes((await call(renewRecoveryCodes)).recoveryCodes);
  switch (opened.kind) {
    case 'set-up':
      return <SetUpDialog onCodes={onCodes} onClose={onClose} />;
    case 'codes':
      return (
        <Dialog title={say.codesTitle} onClose={onClose}>
          <RecoveryCodes codes={opened.codes} onKept={onClose} />
        </Dialog>
      );
    case 'renew':
      return <RenewDialog renew={renew} onClose={onClose} />;
    case 'remove':
      return (
        <AskDialog
          title={say.removeAsk}
          text={hasPasskey ? say.removeTextPasskeys : say.removeText}
          yes={say.remove}
          act={() => call(removeTotp)}
          onClose={onClose}
        />
      );
  }
}

/** Stays open until the codes are there: they come in its place. */
function RenewDialog({ renew, onClose }: { readonly renew: () => Promise<void>; readonly onClose: () => void }) {
  const say = useSecurityTexts();
  const { cancel } = useTexts();
  const { run, isBusy, error } = useAction(renew);
  return (
    <Dialog title={say.renewAsk} onClose={onClose}>
      <div className="form">
        <p>{say.renewText}</p>
        <Problem error={error} />
        <div className="actions">
          <button type="button" disabled={isBusy} onClick={() => run()}>
            {say.renew}
          </button>
          <button type="button" className="plain" onClick={onClose}>
            {cancel}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function SetUpDialog({ onCodes, onClose }: Pick<ChangeProps, 'onCodes' | 'onClose'>) {
  const say = useSecurityTexts();
  const { call } = useBridge();
  const [code, setCode] = useState('');
  const { state } = useLoad('new-totp', signal => call(beginTotp, { signal }));
  const { run, isBusy, error } = useAction(async () => {
    const { recoveryCodes } = await call(confirmTotp, { body: { code: code.trim() } });
    if (recoveryCodes === null) onClose();
    else onCodes(recoveryCodes);
  });
  return (
    <Dialog title={say.setUp} onClose={onClose}>
      {state.kind === 'loading' && <Loading />}
      {state.kind === 'failed' && <Problem error={state.error} />}
      {state.kind === 'ready' && (
        <Form onSend={run}>
          <AppToSetUp {...state.value} />
          <CodeField label={say.firstCode} value={code} onText={setCode} />
          <Problem error={error} />
          <div className="actions">
            <button type="submit" disabled={isBusy}>
              {say.confirm}
            </button>
          </div>
        </Form>
      )}
    </Dialog>
  );
}
