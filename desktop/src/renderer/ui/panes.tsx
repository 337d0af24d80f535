// A list and, beside it, the one thing of it that is looked at. On a small screen there is room for one of the two.
import { type ReactNode, useEffect, useRef } from 'react';
import { useSay } from '../surroundings.ts';
import { Icon } from './icon.tsx';

type PanesProps = {
  readonly label: string;
  readonly list: ReactNode;
  /** Null where nothing was chosen. */
  readonly detail: ReactNode | null;
  /** Stands in the place of the detail until something is chosen. */
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
  const say = useSay();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <header className="pane-head">
      <a className="back" href={back} aria-label={say.back}>
        <Icon name="back" />
      </a>
      <h2 ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h2>
      {children && <div className="actions">{children}</div>}
    </header>
  );
}
