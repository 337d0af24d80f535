// One share between friends: who shared it, the note, the files.

import type { Person } from '@recordproof/shared/api/accounts.ts';
import { type FriendShareDetails, getFriendShare } from '@recordproof/shared/api/friend-shares.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import type { ReactNode } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { useLoad } from '../../ui/hooks.ts';
import type { FoundFile } from '../../ui/open-viewer.ts';
import { PaneHead } from '../../ui/panes.tsx';
import { toName } from '../../ui/person.tsx';
import { FailedState, Loading } from '../../ui/states.tsx';
import { type SharedEntry, SharedFiles } from '../shares/shared-files.tsx';

type View = {
  readonly id: string;
  readonly personOf: (share: FriendShareDetails) => Person;
  readonly back: string;
  readonly children: (share: FriendShareDetails) => ReactNode;
};

export function FriendShareView({ id, personOf, back, children }: View) {
  const { list } = useTexts();
  const { gifts: texts } = useWords(socialWords);
  const language = useLanguage();
  const { call, downloads } = useBridge();
  const { state, reload } = useLoad(id, signal => call(getFriendShare, { params: { id }, signal }));
  if (state.kind === 'loading') return <Loading />;
  if (state.kind === 'failed') return <FailedState error={state.error} again={reload} />;
  const share = state.value;
  const fetch = ({ fileHash, fileName, fileSize: size }: SharedEntry) =>
    downloads.start({ kind: 'friend-file', shareId: id, fileHash, fileName, size });
  const find = async ({ fileHash }: SharedEntry): Promise<FoundFile | undefined> => {
    const file = share.files.find(one => one.fileHash === fileHash);
    return file && { file, source: { kind: 'friend-file', shareId: id, fileHash } };
  };
  return (
    <>
      <PaneHead title={toName(personOf(share))} back={back} />
      <div className="scroll">
        <div className="form">
          <p className="about">
            <span>{formatTime(share.createdAt, language)}</span>
            <span>{list.files(share.files.length)}</span>
          </p>
          {share.message !== '' && (
            <p className="note" dir="auto">
              {share.message}
            </p>
          )}
          {share.files.length < share.fileCount && (
            <p className="quiet">{texts.missing(share.fileCount - share.files.length)}</p>
          )}
          {children(share)}
          <SharedFiles files={share.files} fetch={fetch} find={find} />
        </div>
      </div>
    </>
  );
}
