// The navigation. A phone shows the daily screens, and the others behind "More".
import { useState } from 'react';
import { useAccount, useBridge, useFeed, useLanguage, useTexts, useWatched } from './context.ts';
import { PaletteButton } from './features/palette/palette-button.tsx';
import { countRunning } from './features/transfers/sum.ts';
import { toHref } from './router.ts';
import type { Screen } from './screens.ts';
import { useBadge, useBadgeSum } from './ui/badges.tsx';
import { Icon } from './ui/icon.tsx';

type SideProps = {
  /** Those that the account has access to. */
  readonly screens: readonly Screen[];
  readonly current: string;
};

export function Side({ screens, current }: SideProps) {
  const texts = useTexts();
  const feed = useFeed();
  const account = useAccount();
  const [isOpen, setOpen] = useState(false);
  const daily = screens.filter(({ navigation }) => navigation === 'daily');
  const more = screens.filter(({ navigation }) => navigation === 'more');
  const waiting = useBadgeSum(more.map(({ name }) => name));
  const isInMore = more.some(({ name }) => name === current);
  const close = () => setOpen(false);
  return (
    <nav
      className={isOpen ? 'side open' : 'side'}
      aria-label={texts.navigation}
      onKeyDown={event => event.key === 'Escape' && close()}
    >
      <div className="brand">
        <img src="/assets/icon.svg" alt="" /> RecordProof
      </div>
      <PaletteButton />
      {daily.map(screen => (
        <ScreenLink key={screen.name} screen={screen} isCurrent={screen.name === current} />
      ))}
      <button
        type="button"
        className={isInMore ? 'parts here' : 'parts'}
        aria-expanded={isOpen}
        aria-controls="other-parts"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="parts" />
        {texts.parts}
        <Waiting count={waiting} />
      </button>
      <div id="other-parts" className="others">
        {more.map(screen => (
          <ScreenLink key={screen.name} screen={screen} isCurrent={screen.name === current} onChoose={close} />
        ))}
      </div>
      <div className="who">
        <span className="cut">{account.nickname ?? account.username}</span>
        <span className={`feed ${feed}`}>{texts.feed[feed]}</span>
      </div>
    </nav>
  );
}

type LinkProps = { readonly screen: Screen; readonly isCurrent: boolean; readonly onChoose?: () => void };

function ScreenLink({ screen: { name, title, icon, badge }, isCurrent, onChoose }: LinkProps) {
  const language = useLanguage();
  const { count } = useBadge(name);
  const leadsTo = count > 0 && typeof badge === 'object' ? badge.leadsTo : undefined;
  return (
    <a href={toHref(leadsTo ?? name)} onClick={onChoose} {...(isCurrent && { 'aria-current': 'page' })}>
      <Icon name={icon} />
      {title[language]}
      {badge === 'running-transfers' ? <RunningTransfers /> : <Waiting count={count} />}
    </a>
  );
}

function RunningTransfers() {
  const texts = useTexts();
  const { uploads, downloads } = useBridge();
  const running = countRunning(useWatched(uploads.list), useWatched(downloads.list));
  return running > 0 && <Count count={running} label={texts.transfer.running(running)} />;
}

function Waiting({ count }: { readonly count: number }) {
  const texts = useTexts();
  return count > 0 && <Count count={count} label={texts.waiting(count)} />;
}

const Count = ({ count, label }: { readonly count: number; readonly label: string }) => (
  <span className="count number">
    <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
    <span className="unseen"> {label}</span>
  </span>
);
