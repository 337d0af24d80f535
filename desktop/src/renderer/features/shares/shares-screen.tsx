// The links that one has given out: until when they work, how often they were used, and an end to them.
import { listShares, type Share, shareStatuses } from '@recordproof/shared/api/shares.ts';
import { useState } from 'react';
import { formatTime } from '../../format.ts';
import { useBridge, useLanguage, useSay } from '../../surroundings.ts';
import { EmptyState, FailedState, Loading } from '../../ui/states.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { ShareActions } from './share-actions.tsx';

const pageSize = 50;

export function SharesScreen() {
  const say = useSay();
  const { call } = useBridge();
  const [pages, setPages] = useState(1);
  const { state, reload } = useLoad(`shares ${pages}`, async signal => {
    const found = await Promise.all(
      Array.from({ length: pages }, (_, at) => call(listShares, { query: { page: at + 1, size: pageSize }, signal })),
    );
    return { shares: found.flatMap(({ records }) => records), total: found[0]?.total ?? 0 };
  });
  return (
    <>
      <header className="head">
        <h1>{say.shares}</h1>
      </header>
      {state.kind === 'loading' && <Loading />}
      {state.kind === 'failed' && <FailedState error={state.error} again={reload} />}
      {state.kind === 'ready' && state.value.total === 0 && (
        <EmptyState icon="shares" title={say.sharing.empty} text={say.sharing.emptyText} />
      )}
      {state.kind === 'ready' && state.value.total > 0 && (
        <div className="scroll">
          <ul className="items area">
            {state.value.shares.map(share => (
              <li key={share.shareCode}>
                <ShareItem share={share} onChanged={reload} />
              </li>
            ))}
          </ul>
          {state.value.shares.length < state.value.total && (
            <button type="button" className="plain" onClick={() => setPages(pages + 1)}>
              {say.more}
            </button>
          )}
        </div>
      )}
    </>
  );
}

const looks = {
  [shareStatuses.ACTIVE]: { tone: 'good', word: 'active' },
  [shareStatuses.CANCELLED]: { tone: '', word: 'cancelled' },
  [shareStatuses.EXPIRED]: { tone: '', word: 'expired' },
} as const;

function ShareItem({ share, onChanged }: { readonly share: Share; readonly onChanged: () => void }) {
  const { sharing: say, list } = useSay();
  const language = useLanguage();
  const [first] = share.files;
  const { tone, word } = looks[share.status];
  return (
    <>
      <div className="name">
        <strong className="cut">{first?.fileName ?? list.files(0)}</strong>
        {share.files.length > 1 && <span className="cut">+ {list.files(share.files.length - 1)}</span>}
      </div>
      <ShareActions share={share} onChanged={onChanged} />
      <p className="about wide">
        <span className={`chip ${tone}`}>{say[word]}</span>
        <span>{say.until(formatTime(share.expireTime, language))}</span>
        {share.hasPassword && <span>{say.withPassword}</span>}
        <span className="number">{say.opened(share.accessCount)}</span>
        <span className="number">{say.downloaded(share.downloadCount)}</span>
      </p>
    </>
  );
}
