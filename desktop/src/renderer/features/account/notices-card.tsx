import { noticeWords } from '@recordproof/shared/words/app-notices.ts';
import type { NoticesBridge } from '../../../bridge/bridge.ts';
import { type NoticeKind, type NoticeSettings, noticeKinds } from '../../../bridge/notices.ts';
import { useLanguage, useWatched } from '../../surroundings.ts';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';

/** What one is told of while one looks elsewhere, on this device. */
export function NoticesCard({ notices }: { readonly notices: NoticesBridge }) {
  const say = noticeWords[useLanguage()];
  const { isOn, silent } = useWatched(notices.settings);
  const isRefused = useWatched(notices.isRefused);
  const { run, isBusy, error } = useAction((change: Partial<NoticeSettings>) => notices.change(change));
  const turn = (kind: NoticeKind, isWanted: boolean) =>
    run({ silent: noticeKinds.filter(one => (one === kind ? !isWanted : silent.includes(one))) });
  return (
    <section className="card form">
      <h2>{say.title}</h2>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={isBusy}
          onChange={event => run({ isOn: event.target.checked })}
        />
        {say.isOn}
      </label>
      {isRefused && <p className="note">{say.refused}</p>}
      <fieldset className="choices" disabled={!isOn}>
        <legend>{say.about}</legend>
        {noticeKinds.map(kind => (
          <label key={kind} className="check">
            <input
              type="checkbox"
              checked={!silent.includes(kind)}
              disabled={isBusy}
              onChange={event => turn(kind, event.target.checked)}
            />
            {say.kinds[kind]}
          </label>
        ))}
      </fieldset>
      <Problem error={error} />
    </section>
  );
}
