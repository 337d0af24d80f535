// Screen of another person's share, by its code: its password, its files. Opening counts, so a share is opened only when a
// file is fetched.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  getShareInfo,
  grantHeader,
  type OpenedShare,
  openShare,
  type ShareInfo,
  saveSharedFiles,
} from '@recordproof/shared/api/share-access.ts';
import { shareTypes } from '@recordproof/shared/api/shares.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { shareWords } from '@recordproof/shared/words/share.ts';
import { useRef, useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatSize, formatTime } from '../../format.ts';
import { go, toHref, useRoute } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { ActionForm, Field, Form } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import type { FoundFile } from '../../ui/open-viewer.ts';
import { ScreenHead } from '../../ui/panes.tsx';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { SaveSharedButton } from './save-shared-button.tsx';
import { findShareCode } from './share-link.ts';
import { type SharedEntry, SharedFiles } from './shared-files.tsx';

export function OpenShareScreen() {
  const { rest } = useRoute();
  const { opening: texts } = useWords(socialWords);
  const code = findShareCode(rest);
  return (
    <>
      <ScreenHead title={texts.title}>
        <div className="actions">
          <a className="button plain" href={toHref('shares')}>
            {texts.toShares}
          </a>
        </div>
      </ScreenHead>
      {code === undefined ? <CodeForm initialCode={rest} /> : <FoundShare key={code} code={code} />}
    </>
  );
}

function CodeForm({ initialCode }: { readonly initialCode: string }) {
  const { opening: texts } = useWords(socialWords);
  const [text, setText] = useState(initialCode);
  const [isWrong, setWrong] = useState(initialCode !== '');
  const open = () => {
    const code = findShareCode(text);
    setWrong(code === undefined);
    if (code !== undefined) go(`share/${code}`);
  };
  return (
    <div className="scroll">
      <Form onSend={open} className="stack form">
        <p className="quiet">{texts.lead}</p>
        <Field
          label={texts.linkOrCode}
          value={text}
          onText={setText}
          required
          autoFocus
          maxLength={2000}
          aria-invalid={isWrong}
        />
        <div role="alert">{isWrong && <p className="problem">{texts.noCode}</p>}</div>
        <div className="actions">
          <Button label={texts.show} type="submit" />
        </div>
      </Form>
    </div>
  );
}

function FoundShare({ code }: { readonly code: string }) {
  const { call } = useBridge();
  const { state, reload } = useLoad(code, signal => call(getShareInfo, { params: { code }, signal }));
  if (state.kind !== 'ready') return <NotLoaded state={state} again={reload} />;
  return <ShareView info={state.value} />;
}

function ShareView({ info }: { readonly info: ShareInfo }) {
  const { opening: texts } = useWords(socialWords);
  const { call } = useBridge();
  const [opened, setOpened] = useState<OpenedShare | null>(null);
  const { shareCode: code } = info;
  const opening = useRef<Promise<OpenedShare>>(undefined);
  const open = (password?: string): Promise<OpenedShare> => {
    const made = call(openShare, { params: { code }, body: password === undefined ? {} : { password } });
    opening.current = made;
    made.then(setOpened, () => {
      opening.current = undefined;
    });
    return made;
  };
  const files = opened?.files ?? info.files;
  if (info.hasPassword && !opened && files.length === 0) return <PasswordForm onSend={open} />;
  if (files.length === 0) return <EmptyState icon="shares" title={texts.nothing} text={texts.nothingText} />;
  return <ShareFiles info={{ ...info, ...opened }} files={files} findOpened={() => opening.current ?? open()} />;
}

type Contents = {
  readonly info: ShareInfo;
  readonly files: readonly SharedEntry[];
  /** Opens it once. */
  readonly findOpened: () => Promise<OpenedShare>;
};

function ShareFiles({ info, files, findOpened }: Contents) {
  const { list, sharing } = useTexts();
  const { opening: openingTexts, links } = useWords(socialWords);
  const language = useLanguage();
  const { call, downloads } = useBridge();
  const { shareCode: code } = info;
  const size = files.reduce((sum, { fileSize }) => sum + fileSize, 0);
  const fetch = async ({ fileHash, fileName, fileSize: size }: SharedEntry) => {
    const { grant } = await findOpened();
    await downloads.start({ kind: 'shared-file', code, fileHash, fileName, size, grant });
  };
  const find = async ({ fileHash }: SharedEntry): Promise<FoundFile | undefined> => {
    const { files: opened, grant } = await findOpened();
    const file = opened.find(one => one.fileHash === fileHash);
    return file && { file, source: { kind: 'shared-file', code, fileHash, grant } };
  };
  const save = async () => {
    const { grant } = await findOpened();
    await call(saveSharedFiles, { params: { code }, headers: { [grantHeader]: grant }, body: {} });
  };
  return (
    <div className="scroll">
      <div className="area">
        {info.title && <h2 dir="auto">{info.title}</h2>}
        {info.message && (
          <p className="note lines-kept" dir="auto">
            {info.message}
          </p>
        )}
        <p className="about">
          <span>
            {list.files(files.length)}, {formatSize(size)}
          </span>
          <span>{sharing.until(formatTime(info.expireTime, language))}</span>
          {info.shareType === shareTypes.PRIVATE && <span>{links.privateOne}</span>}
        </p>
        <SaveSharedButton save={save} hint={openingTexts.saveHint} />
        <SharedFiles files={files} fetch={fetch} find={find} />
      </div>
    </div>
  );
}

/** Undefined for any other error; null where the server does not say. */
function findTriesLeft(error: unknown): number | null | undefined {
  if (!(error instanceof ApiError) || error.detail?.reason !== 'PASSWORD_WRONG') return undefined;
  const { triesLeft } = error.detail;
  return typeof triesLeft === 'number' ? triesLeft : null;
}

/** Asks for the password of a share. */
function PasswordForm({ onSend }: { readonly onSend: (password: string) => Promise<unknown> }) {
  const { sharing } = useTexts();
  const { opening: texts } = useWords(socialWords);
  const [password, setPassword] = useState('');
  const action = useAction(() => onSend(password));
  const { triesLeft: toTries } = useWords(shareWords);
  const triesLeft = findTriesLeft(action.error);
  const isWrong = triesLeft !== undefined;
  return (
    <div className="scroll">
      <ActionForm
        className="stack form"
        action={action}
        submit={texts.show}
        inRow
        problem={
          isWrong && (
            <p role="alert" className="problem">
              {texts.wrongPassword} {triesLeft !== null && toTries(triesLeft)}
            </p>
          )
        }
      >
        <p className="quiet">{texts.passwordLead}</p>
        <Field
          label={sharing.password}
          type="password"
          value={password}
          onText={setPassword}
          autoComplete="off"
          autoFocus
          required
          maxLength={64}
          aria-invalid={isWrong}
        />
      </ActionForm>
    </div>
  );
}
