// The way from one part of the app to another. A telephone shows the parts of every day, and the others behind one more.
import { useState } from 'react';
import { countRunning } from './features/transfers/running.ts';
import { toHref } from './router.ts';
import { useAccount, useBridge, useSay, useWatched } from './surroundings.ts';
import { useBadges } from './ui/badges.tsx';
import { Icon } from './ui/icon.tsx';

const everyDay = ['files', 'transfers', 'shares', 'messages'] as const;
const others = ['friends', 'announcements', 'tickets', 'verify', 'account'] as const;
type PartName = (typeof everyDay)[number] | (typeof others)[number];

export function Side({ at }: { readonly at: PartName }) {
  const say = useSay();
  const { events } = useBridge();
  const feed = useWatched(events.state);
  const account = useAccount();
  const [isOpen, setOpen] = useState(false);
  const { friends, announcements } = useBadges();
  const isOther = others.some(name => name === at);
  const close = () => setOpen(false);
  return (
    <nav
      className={isOpen ? 'side open' : 'side'}
      aria-label={say.navigation}
      onKeyDown={event => event.key === 'Escape' && close()}
    >
      <div className="brand">
        <img src="/assets/icon.svg" alt="" /> RecordProof
      </div>
      {everyDay.map(name => (
        <Part key={name} name={name} isHere={name === at} />
      ))}
      <button
        type="button"
        className={isOther ? 'parts here' : 'parts'}
        aria-expanded={isOpen}
        aria-controls="other-parts"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="parts" />
        {say.parts}
        <Count of={friends.count + announcements.count} />
      </button>
      <div id="other-parts" className="others">
        {others.map(name => (
          <Part key={name} name={name} isHere={name === at} onChoose={close} />
        ))}
      </div>
      <div className="who">
        <span className="cut">{account.nickname ?? account.username}</span>
        <span className={`feed ${feed}`}>{say.feed[feed]}</span>
      </div>
    </nav>
  );
}

type PartProps = { readonly name: PartName; readonly isHere: boolean; readonly onChoose?: () => void };

function Part({ name, isHere, onChoose }: PartProps) {
  const say = useSay();
  return (
    <a href={toHref(name)} onClick={onChoose} {...(isHere && { 'aria-current': 'page' })}>
      <Icon name={name} />
      {say[name]}
      {name === 'transfers' ? <Running /> : <Waiting name={name} />}
    </a>
  );
}

function Running() {
  const say = useSay();
  const { uploads, downloads } = useBridge();
  const running = countRunning(useWatched(uploads.list), useWatched(downloads.list));
  return running > 0 && <Mark count={running} means={say.transfer.running(running)} />;
}

function Waiting({ name }: { readonly name: Exclude<PartName, 'transfers'> }) {
  const badges = useBadges();
  return name in badges && <Count of={badges[name as keyof typeof badges].count} />;
}

function Count({ of }: { readonly of: number }) {
  const say = useSay();
  return of > 0 && <Mark count={of} means={say.waiting(of)} />;
}

const Mark = ({ count, means }: { readonly count: number; readonly means: string }) => (
  <span className="count number">
    <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
    <span className="unseen"> {means}</span>
  </span>
);
