import { toShownName } from '@recordproof/shared/shown-name.ts';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSay } from '../surroundings.ts';
import { Icon } from './icon.tsx';

type PanelProps = { readonly title: string; readonly onClose: () => void; readonly children: ReactNode };

/** What is known of one entry of a list, beside it; instead of it where there is no room. Escape closes it. */
export function Panel({ title, onClose, children }: PanelProps) {
  const say = useSay();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <aside
      className="panel"
      aria-label={say.file.details}
      onKeyDown={event => event.key === 'Escape' && !(event.target as Element).closest('dialog') && onClose()}
    >
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {toShownName(title)}
        </h2>
        <button type="button" className="bare" aria-label={say.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </aside>
  );
}
