import { useEffect, useRef } from 'react';

type Tab = { readonly href: string; readonly text: string; readonly isHere: boolean; readonly count?: number };

/** Links between the parts of one screen. Where not all of them have room, the one that is shown is in view. */
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
