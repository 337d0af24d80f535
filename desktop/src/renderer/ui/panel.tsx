import { toShownName } from '@recordproof/shared/shown-name.ts';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useSay } from '../surroundings.ts';
import { Icon } from './icon.tsx';

type PanelProps = { readonly title: string; readonly onClose: () => void; readonly children: ReactNode };

/**
 * What is known of one entry of a list, beside it; instead of it where there is no room. Escape closes it. The focus goes
 * back to where it came from.
 */
export function Panel({ title, onClose, children }: PanelProps) {
  const say = useSay();
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
