// Account screen: profile, password, sessions, storage, and how this device shows the app.
import { fileQuota } from '@recordproof/shared/api/files.ts';
import { noticeWords } from '@recordproof/shared/words/app-notices.ts';
import { programWords } from '@recordproof/shared/words/app-program.ts';
import type { NoticesBridge } from '../../../bridge/bridge.ts';
import { type NoticeKind, type NoticeSettings, noticeKinds } from '../../../bridge/notices.ts';
import { useAccount, useBridge, useLanguage, useTexts, useWatched, useWords } from '../../context.ts';
import { formatSize } from '../../format.ts';
import { changePreferences, preferences } from '../../preferences.ts';
import { Checkbox, Segments } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { lazyPart } from '../../ui/lazy.tsx';
import { Facts, ScreenHead } from '../../ui/panes.tsx';
import { Loading, NotLoadedNote, Problem } from '../../ui/states.tsx';
import { FactorsCard } from '../factors/factors-card.tsx';
import { ConnectionsCard } from '../single-sign-on/connections-card.tsx';
import { TokensCard } from '../tokens/tokens-card.tsx';
import { PasswordForm, ProfileForm } from './account-forms.tsx';
import { SessionsCard } from './sessions-card.tsx';

const ProgramCards = lazyPart(async () => (await import('../program/program-cards.tsx')).ProgramCards, <Loading />);

export function AccountScreen() {
  const { shell, notices } = useBridge();
  return (
    <>
      <ScreenHead />
      <div className="scroll">
        <div className="stack">
          <ProfileForm />
          <StorageUsed />
          <Appearance />
          {notices && <NoticesCard notices={notices} />}
          <PasswordForm />
          <FactorsCard />
          <SessionsCard />
          <ConnectionsCard />
          <TokensCard />
          {shell && <ProgramCards shell={shell} />}
          <About />
        </div>
      </div>
    </>
  );
}

function Appearance() {
  const texts = useTexts().me;
  const language = useLanguage();
  const { theme, motion } = useWatched(preferences);
  const themes = { system: texts.asSystem, light: texts.light, dark: texts.dark };
  return (
    <section className="card form">
      <h2>{texts.look}</h2>
      <Segments
        label={texts.theme}
        value={theme}
        options={themes}
        onChoose={next => changePreferences({ theme: next })}
      />
      <Segments
        label={texts.language}
        value={language}
        options={{ en: 'English', zh: '中文' }}
        onChoose={next => changePreferences({ language: next })}
      />
      <Segments
        label={texts.motion}
        value={motion}
        options={{ system: texts.withMotion, off: texts.noMotion }}
        onChoose={next => changePreferences({ motion: next })}
      />
    </section>
  );
}

function About() {
  const texts = useTexts().me;
  const program = useWords(programWords);
  const { session, shell } = useBridge();
  const { username } = useAccount();
  return (
    <section className="card form">
      <h2>{texts.about}</h2>
      <Facts
        of={{
          [texts.server]: session.serverUrl(),
          [program.session]: username,
          [program.version]: shell?.version ?? program.browser,
        }}
      />
    </section>
  );
}

function StorageUsed() {
  const texts = useTexts();
  const { call } = useBridge();
  const { state } = useLoad('quota', signal => call(fileQuota, { signal }));
  return (
    <section className="card form">
      <h2>{texts.me.storage}</h2>
      <NotLoadedNote state={state} />
      {state.kind === 'ready' && (
        <>
          <p className="number">
            {texts.me.used(formatSize(state.value.user.usedBytes), formatSize(state.value.user.maxBytes))}
          </p>
          <progress
            aria-label={texts.me.storage}
            max={Math.max(1, state.value.user.maxBytes)}
            value={state.value.user.usedBytes}
          />
        </>
      )}
    </section>
  );
}

/** Notifications on this device. */
function NoticesCard({ notices }: { readonly notices: NoticesBridge }) {
  const texts = useWords(noticeWords);
  const { isOn, silent } = useWatched(notices.settings);
  const isDenied = useWatched(notices.isDenied);
  const { run, isBusy, error } = useAction((change: Partial<NoticeSettings>) => notices.change(change));
  const turn = (kind: NoticeKind, isShown: boolean) =>
    run({ silent: noticeKinds.filter(one => (one === kind ? !isShown : silent.includes(one))) });
  return (
    <section className="card form">
      <h2>{texts.title}</h2>
      <Checkbox label={texts.isOn} checked={isOn} disabled={isBusy} onCheck={isChecked => run({ isOn: isChecked })} />
      {isDenied && <p className="note">{texts.refused}</p>}
      <fieldset className="choices" disabled={!isOn}>
        <legend>{texts.about}</legend>
        {noticeKinds.map(kind => (
          <Checkbox
            key={kind}
            label={texts.kinds[kind]}
            checked={!silent.includes(kind)}
            disabled={isBusy}
            onCheck={isShown => turn(kind, isShown)}
          />
        ))}
      </fieldset>
      <Problem error={error} />
    </section>
  );
}
