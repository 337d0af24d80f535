type Tab = { readonly href: string; readonly text: string; readonly isHere: boolean; readonly count?: number };

/** Links between the parts of one screen. */
export const Tabs = ({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) => (
  <nav className="tabs" aria-label={label}>
    {tabs.map(({ href, text, isHere, count = 0 }) => (
      <a key={href} href={href} {...(isHere && { 'aria-current': 'page' })}>
        {text}
        {count > 0 && <span className="count number">{count}</span>}
      </a>
    ))}
  </nav>
);
