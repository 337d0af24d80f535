// Layouts of a screen: its head, two panes, a panel next to a list, tabs, facts.
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { Fragment, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { useTexts, useTitle } from '../context.ts';
import { Icon } from './icon.tsx';

type ScreenHeadProps = { readonly title?: string; readonly children?: ReactNode };

/** With the title of the screen, unless another is given. */
export function ScreenHead({ title, children }: ScreenHeadProps) {
  const ownTitle = useTitle();
  return (
    <header className="head">
      <h1>{title ?? ownTitle}</h1>
      {children}
    </header>
  );
}

const hasValue = ([, value]: [string, ReactNode]): boolean => value !== null && value !== undefined && value !== false;

/** Values by their names; one without a value is left out. */
export const Facts = ({ of }: { readonly of: Readonly<Record<string, ReactNode>> }) => (
  <dl className="facts">
    {Object.entries(of)
      .filter(hasValue)
      .map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
  </dl>
);

type PanesProps = {
  readonly label: string;
  readonly list: ReactNode;
  /** Null without a selection. */
  readonly detail: ReactNode | null;
  /** Shown without a selection. */
  readonly hint: string;
};

export const Panes = ({ label, list, detail, hint }: PanesProps) => (
  <div className={detail === null ? 'panes' : 'panes chosen-one'}>
    <section className="pane-list" aria-label={label}>
      {list}
    </section>
    <div className="pane">{detail ?? <p className="middle quiet hint">{hint}</p>}</div>
  </div>
);

type Head = { readonly title: string; readonly back: string; readonly children?: ReactNode };

export function PaneHead({ title, back, children }: Head) {
  const texts = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <header className="pane-head">
      <a className="back" href={back} aria-label={texts.back}>
        <Icon name="back" />
      </a>
      <h2 ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h2>
      {children && <div className="actions">{children}</div>}
    </header>
  );
}

type PanelProps = { readonly title: string; readonly onClose: () => void; readonly children: ReactNode };

/**
 * Details of one entry, next to the list, or instead of it on narrow screens. Escape closes it, and the focus returns
 * to where it was.
 */
export function Panel({ title, onClose, children }: PanelProps) {
  const texts = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const panel = heading.current?.closest('aside');
    heading.current?.focus();
    return () => {
      if (before instanceof HTMLElement && panel?.contains(document.activeElement)) before.focus();
    };
  }, []);
  return (
    <aside
      className="panel"
      aria-label={texts.file.details}
      onKeyDown={event => event.key === 'Escape' && !(event.target as Element).closest('dialog') && onClose()}
    >
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {toShownName(title)}
        </h2>
        <button type="button" className="bare" aria-label={texts.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </aside>
  );
}

type Tab = { readonly href: string; readonly text: string; readonly isHere: boolean; readonly count?: number };

/** Links between the parts of one screen; the current one is scrolled into view. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const nav = useRef<HTMLElement>(null);
  const here = tabs.find(({ isHere }) => isHere)?.href;
  useEffect(() => {
    nav.current?.querySelector(`[href="${here}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [here]);
  return (
    <nav className="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ href, text, isHere, count = 0 }) => (
        <a key={href} href={href} {...(isHere && { 'aria-current': 'page' })}>
          {text}
          {count > 0 && <span className="count number">{count}</span>}
        </a>
      ))}
    </nav>
  );
}
