// Sessions of the account: a list with device, address and last use, and buttons to end them.
import { endOneSession, endOtherSessions, type LiveSession, listSessions } from '@recordproof/shared/api/sessions.ts';
import { securityWords } from '@recordproof/shared/words/app-security.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { AskDialog } from '../../ui/dialog.tsx';
import { useAction, useEvents, useLoad } from '../../ui/hooks.ts';
import { NotLoadedNote, Problem } from '../../ui/states.tsx';

type EndAction = { readonly kind: 'others' | 'everywhere' } | { readonly kind: 'one'; readonly session: LiveSession };

export function SessionsCard() {
  const texts = useTexts();
  const security = useWords(securityWords);
  const { call, session } = useBridge();
  const { state, reload } = useLoad('sessions', signal => call(listSessions, { signal }));
  useEvents(['new-device'], reload);
  const [pendingAction, setPendingAction] = useState<EndAction | null>(null);
  const { run, isBusy, error } = useAction(() => session.signOut({ everywhere: false }));
  return (
    <section className="card form">
      <h2>{security.sessions}</h2>
      <p className="quiet">{security.sessionsText}</p>
      <NotLoadedNote state={state} />
      {state.kind === 'ready' && (
        <ul className="saved">
          {state.value.map(one => (
            <SessionLine key={one.id} session={one} onEnd={() => setPendingAction({ kind: 'one', session: one })} />
          ))}
        </ul>
      )}
      <Problem error={error} />
      <div className="actions">
        <Button label={texts.me.signOut} variant="plain" disabled={isBusy} onClick={() => run()} />
        <Button label={security.endOthers} variant="danger" onClick={() => setPendingAction({ kind: 'others' })} />
        <Button label={texts.me.everywhere} variant="danger" onClick={() => setPendingAction({ kind: 'everywhere' })} />
      </div>
      {pendingAction && <AskToEnd action={pendingAction} onDone={reload} onClose={() => setPendingAction(null)} />}
    </section>
  );
}

function SessionLine({ session, onEnd }: { readonly session: LiveSession; readonly onEnd: () => void }) {
  const texts = useWords(securityWords);
  const language = useLanguage();
  const device = session.device || texts.unknownDevice;
  return (
    <li>
      <div>
        <strong>{device}</strong> {session.current && <span className="chip">{texts.thisSession}</span>}
        <div className="quiet small">
          {session.address} · {texts.lastUsed(formatTime(session.lastUsedAt, language))} ·{' '}
          {texts.signedIn(formatTime(session.createdAt, language))}
        </div>
      </div>
      {!session.current && (
        <Button label={texts.end} variant="plain" aria-label={texts.endLabel(device)} onClick={onEnd} />
      )}
    </li>
  );
}

type Asking = { readonly action: EndAction; readonly onDone: () => void; readonly onClose: () => void };

function AskToEnd({ action, onDone, onClose }: Asking) {
  const texts = useWords(securityWords);
  const { everywhere } = useTexts().me;
  const { call, session } = useBridge();
  if (action.kind === 'everywhere')
    return (
      <AskDialog
        title={texts.everywhereAsk}
        text={texts.everywhereText}
        yes={everywhere}
        act={() => session.signOut({ everywhere: true })}
        onClose={onClose}
      />
    );
  const isOne = action.kind === 'one';
  const act = async () => {
    if (isOne) await call(endOneSession, { params: { id: action.session.id } });
    else await call(endOtherSessions);
    onDone();
  };
  return (
    <AskDialog
      title={isOne ? texts.endAsk(action.session.device || texts.unknownDevice) : texts.endOthersAsk}
      text={isOne ? texts.endText : texts.endOthersText}
      yes={isOne ? texts.endYes : texts.endOthers}
      act={act}
      onClose={onClose}
    />
  );
}
