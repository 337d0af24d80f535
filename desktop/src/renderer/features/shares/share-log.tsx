import { listShareLogs } from '@recordproof/shared/api/shares.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { formatTime } from '../../format.ts';
import { useBridge, useLanguage, useSay } from '../../surroundings.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/states.tsx';
import { useLoad } from '../../ui/use-load.ts';

export function ShareLog({ code, onClose }: { readonly code: string; readonly onClose: () => void }) {
  const say = useSay();
  const language = useLanguage();
  const { call } = useBridge();
  const { state } = useLoad(code, signal => call(listShareLogs, { params: { code }, query: { size: 50 }, signal }));
  return (
    <Dialog title={say.sharing.logTitle} onClose={onClose}>
      {state.kind === 'loading' && <p className="quiet">{say.loading}</p>}
      {state.kind === 'failed' && <Problem error={state.error} />}
      {state.kind === 'ready' && state.value.total === 0 && <p className="quiet">{say.sharing.logEmpty}</p>}
      {state.kind === 'ready' && (
        <ul className="form">
          {state.value.records.map(({ id, actionType, actorName, ip, fileName, accessTime }) => (
            <li key={id}>
              <p>
                {actorName ?? say.sharing.somebody} {say.sharing.action[actionType]} {toShownName(fileName ?? '')}
              </p>
              <p className="quiet small number">
                {formatTime(accessTime, language)} · {ip}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
