// Links to own files: their expiry, their use, and the actions on them.
import { listShareLogs } from '@recordproof/shared/api/share-logs.ts';
import { listShares, revokeShare, type Share, shareStatuses, shareTypes } from '@recordproof/shared/api/shares.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button, type ButtonVariant } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/buttons.tsx';
import { AskDialog, Dialog } from '../../ui/dialog.tsx';
import { useLoad, usePages } from '../../ui/hooks.ts';
import { PagedList } from '../../ui/paged-list.tsx';
import { EmptyState, NotLoadedNote } from '../../ui/states.tsx';
import { ChangeDialog } from './change-dialog.tsx';
import { LinkView } from './link-view.tsx';
import { toShareLink } from './share-link.ts';

export function LinkShares() {
  const { sharing } = useTexts();
  const { call } = useBridge();
  const pages = usePages('links', (page, signal) => call(listShares, { query: page, signal }));
  return (
    <PagedList
      of={pages}
      className="items area"
      by="shareCode"
      empty={<EmptyState icon="shares" title={sharing.empty} text={sharing.emptyText} />}
    >
      {share => <ShareItem share={share} onChanged={pages.reload} />}
    </PagedList>
  );
}

const badges = {
  [shareStatuses.ACTIVE]: { tone: 'good', word: 'active' },
  [shareStatuses.CANCELLED]: { tone: '', word: 'cancelled' },
  [shareStatuses.EXPIRED]: { tone: '', word: 'expired' },
} as const;

const usedUp = { tone: '', word: 'usedUp' } as const;

function toTitle({ folder, files: [first] }: Share): string | null {
  if (folder) return toShownName(`${folder.path}/`);
  return first ? toShownName(first.fileName) : null;
}

function ShareItem({ share, onChanged }: { readonly share: Share; readonly onChanged: () => void }) {
  const { sharing: sharingTexts, list } = useTexts();
  const { links } = useWords(socialWords);
  const language = useLanguage();
  const isUsedUp = share.maxAccesses !== null && share.accessCount >= share.maxAccesses;
  const { tone, word } = share.status === shareStatuses.ACTIVE && isUsedUp ? usedUp : badges[share.status];
  return (
    <>
      <div className="name">
        <strong className="cut">{share.title ?? toTitle(share) ?? list.files(0)}</strong>
        {share.title && <span className="cut">{toTitle(share)}</span>}
        {!share.folder && share.files.length > 1 && <span className="cut">+ {list.files(share.files.length - 1)}</span>}
      </div>
      <ShareActions share={share} onChanged={onChanged} />
      <p className="about wide">
        <span className={`chip ${tone}`}>{sharingTexts[word]}</span>
        <span>{sharingTexts.until(formatTime(share.expireTime, language))}</span>
        {share.folder?.includesLater && <span>{links.withLater}</span>}
        {share.shareType === shareTypes.PRIVATE && <span>{links.privateOne}</span>}
        {share.hasPassword && <span>{sharingTexts.withPassword}</span>}
        <span className="number">
          {share.maxAccesses === null
            ? sharingTexts.opened(share.accessCount)
            : links.openedOf(share.accessCount, share.maxAccesses)}
        </span>
        <span className="number">{sharingTexts.downloaded(share.downloadCount)}</span>
      </p>
    </>
  );
}

type Asking = 'link' | 'change' | 'log' | 'end';

function ShareActions({ share, onChanged }: { readonly share: Share; readonly onChanged: () => void }) {
  const { sharing: texts } = useTexts();
  const { links } = useWords(socialWords);
  const { call, session } = useBridge();
  const [asking, setAsking] = useState<Asking | null>(null);
  const { shareCode: code, status, files } = share;
  const name = files[0]?.fileName ?? code;
  const close = () => setAsking(null);
  const end = async () => {
    await call(revokeShare, { params: { code } });
    onChanged();
  };
  const button = (what: Asking, label: string, variant: ButtonVariant = 'plain') => (
    <Button label={label} of={name} variant={variant} onClick={() => setAsking(what)} />
  );
  const isActive = status === shareStatuses.ACTIVE;
  return (
    <div className="actions">
      {isActive && <CopyButton text={toShareLink(session.serverUrl(), code)} label={name} />}
      {isActive && button('link', links.qr)}
      {status !== shareStatuses.CANCELLED && button('change', links.change)}
      {button('log', texts.log)}
      {isActive && button('end', texts.end, 'danger')}
      {asking === 'link' && (
        <Dialog title={texts.link} onClose={close}>
          <LinkView link={toShareLink(session.serverUrl(), code)} qrLabel={links.qrLabel} />
        </Dialog>
      )}
      {asking === 'change' && <ChangeDialog share={share} onChanged={onChanged} onClose={close} />}
      {asking === 'log' && <ShareLog code={code} onClose={close} />}
      {asking === 'end' && (
        <AskDialog title={texts.endAsk} text={texts.endText} yes={texts.end} act={end} onClose={close} />
      )}
    </div>
  );
}

function ShareLog({ code, onClose }: { readonly code: string; readonly onClose: () => void }) {
  const texts = useTexts();
  const language = useLanguage();
  const { call } = useBridge();
  const { state } = useLoad(code, signal => call(listShareLogs, { params: { code }, query: { size: 50 }, signal }));
  return (
    <Dialog title={texts.sharing.logTitle} onClose={onClose}>
      <NotLoadedNote state={state} />
      {state.kind === 'ready' && state.value.total === 0 && <p className="quiet">{texts.sharing.logEmpty}</p>}
      {state.kind === 'ready' && (
        <ul className="form">
          {state.value.records.map(({ id, actionType, actorName, ip, fileName, accessTime }) => (
            <li key={id}>
              <p>
                {actorName ?? texts.sharing.visitor} {texts.sharing.action[actionType]} {toShownName(fileName ?? '')}
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
