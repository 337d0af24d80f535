// One's own account, its sessions, and how this device shows the app.
import { lazy, Suspense } from 'react';
import { changePreferences, preferences } from '../../preferences.ts';
import { useAccount, useBridge, useLanguage, useSay, useWatched } from '../../surroundings.ts';
import { Segments } from '../../ui/field.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useProgramSay } from '../program/use-program-say.ts';
import { NoticesCard } from './notices-card.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { StorageUsed } from './storage-used.tsx';

const ProgramCards = lazy(async () => ({ default: (await import('../program/program-cards.tsx')).ProgramCards }));

export function AccountScreen() {
  const say = useSay();
  const { shell, notices } = useBridge();
  return (
    <>
      <header className="head">
        <h1>{say.account}</h1>
      </header>
      <div className="scroll">
        <div className="stack">
          <ProfileForm />
          <StorageUsed />
          <Look />
          {notices && <NoticesCard notices={notices} />}
          <PasswordForm />
          <Sessions />
          {shell && (
            <Suspense fallback={<Loading />}>
              <ProgramCards shell={shell} />
            </Suspense>
          )}
          <About />
        </div>
      </div>
    </>
  );
}

function Look() {
  const say = useSay().me;
  const language = useLanguage();
  const { theme, motion } = useWatched(preferences);
  const themes = { system: say.asSystem, light: say.light, dark: say.dark };
  return (
    <section className="card form">
      <h2>{say.look}</h2>
      <Segments
        label={say.theme}
        value={theme}
        options={themes}
        onChoose={next => changePreferences({ theme: next })}
      />
      <Segments
        label={say.language}
        value={language}
        options={{ en: 'English', zh: '中文' }}
        onChoose={next => changePreferences({ language: next })}
      />
      <Segments
        label={say.motion}
        value={motion}
        options={{ system: say.withMotion, off: say.noMotion }}
        onChoose={next => changePreferences({ motion: next })}
      />
    </section>
  );
}

function Sessions() {
  const say = useSay().me;
  const { session } = useBridge();
  const { run, isBusy, error } = useAction((everywhere: boolean) => session.signOut({ everywhere }));
  return (
    <section className="card form">
      <h2>{say.sessions}</h2>
      <p className="quiet">{say.everywhereText}</p>
      <Problem error={error} />
      <div className="actions">
        <button type="button" className="plain" disabled={isBusy} onClick={() => run(false)}>
          {say.signOut}
        </button>
        <button type="button" className="danger" disabled={isBusy} onClick={() => run(true)}>
          {say.everywhere}
        </button>
      </div>
    </section>
  );
}

function About() {
  const say = useSay().me;
  const program = useProgramSay();
  const { session, shell } = useBridge();
  const { username } = useAccount();
  return (
    <section className="card form">
      <h2>{say.about}</h2>
      <dl className="facts">
        <dt>{say.server}</dt>
        <dd>{session.serverUrl()}</dd>
        <dt>{program.session}</dt>
        <dd>{username}</dd>
        <dt>{program.version}</dt>
        <dd>{shell?.version ?? program.browser}</dd>
      </dl>
    </section>
  );
}
